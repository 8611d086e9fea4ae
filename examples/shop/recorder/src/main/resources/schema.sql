-- SPDX-License-Identifier: Apache-2.0
-- The shop's tables. Everything exists before the replication slot does, so that the feed is complete.
CREATE SCHEMA shop;

CREATE TABLE shop.customers (
  customer_id   bigint PRIMARY KEY,
  name          text NOT NULL,
  email         text,
  phone         text,
  tags          text[],
  birth_date    date,
  registered_at timestamptz NOT NULL,
  last_visit    timestamp,
  newsletter    boolean,
  balance       numeric(20,4),
  notes         text
);
-- Never compressed, so that a long text is always stored out of line (TOAST).
ALTER TABLE shop.customers ALTER COLUMN notes SET STORAGE EXTERNAL;

CREATE TABLE shop.orders (
  order_id     bigint PRIMARY KEY,
  customer_id  bigint NOT NULL,
  status       text NOT NULL,
  placed_at    timestamptz NOT NULL,
  promised_for timestamp,
  shipped_at   timestamptz,
  delivered_on date,
  total        numeric(12,2) NOT NULL,
  refund       numeric(12,2),
  is_gift      boolean NOT NULL,
  remark       text
);

CREATE TABLE shop.order_lines (
  order_id   bigint NOT NULL,
  line_no    integer NOT NULL,
  product_id bigint NOT NULL,
  quantity   numeric(10,3) NOT NULL,
  unit_price numeric(12,4),
  lots       integer[],
  PRIMARY KEY (order_id, line_no)
);

CREATE TABLE shop.prices (
  price_id     bigint PRIMARY KEY,
  product_id   bigint NOT NULL,
  valid_from   timestamptz NOT NULL,
  price        numeric(10,2),
  currency     text,
  is_withdrawn boolean NOT NULL,
  reason       text
);

CREATE TABLE shop.carts (
  cart_id     bigint PRIMARY KEY,
  customer_id bigint,
  items       integer NOT NULL,
  amount      numeric(12,2),
  changed_at  timestamptz NOT NULL,
  abandoned   boolean,
  coupons     text[]
);

-- One row is put here after the last change: its event tells the recorder that it has seen everything.
CREATE SCHEMA recording;
CREATE TABLE recording.finished (id integer PRIMARY KEY);

CREATE PUBLICATION shop_feed
  FOR TABLE shop.customers, shop.orders, shop.order_lines, shop.prices, shop.carts, recording.finished;
