-- A shop's database, recorded as a change feed, becomes Delta tables:
--   customers, orders, order_lines, carts   the latest version of each row       (SCD type 1)
--   customers_history                       all versions of each customer        (SCD type 2)
--   prices                                  what each product cost, and when that was known (bitemporal)
--   prices_history                          what each product cost, as known today (SCD type 2)
--   revenue_by_month                        a materialized view over the orders
-- Run it from anywhere: ./tidemark run examples/shop/pipeline.sql

-- ---------------------------------------------------------------------------------------------- change feeds

CREATE TEMPORARY VIEW customer_events AS
SELECT * FROM STREAM read_files('feed/customers/*.json.gz',
  format => 'debezium',
  schema => 'customer_id BIGINT, name STRING, email STRING, phone STRING, tags ARRAY<STRING>, birth_date DATE,
             registered_at TIMESTAMP, last_visit TIMESTAMP_NTZ, newsletter BOOLEAN, balance DECIMAL(20,4), notes STRING');

CREATE TEMPORARY VIEW order_events AS
SELECT * FROM STREAM read_files('feed/orders/*.json.gz',
  format => 'debezium',
  schema => 'order_id BIGINT, customer_id BIGINT, status STRING, placed_at TIMESTAMP, promised_for TIMESTAMP_NTZ,
             shipped_at TIMESTAMP, delivered_on DATE, total DECIMAL(12,2), refund DECIMAL(12,2), is_gift BOOLEAN,
             remark STRING');

CREATE TEMPORARY VIEW order_line_events AS
SELECT * FROM STREAM read_files('feed/order_lines/*.json.gz',
  format => 'debezium',
  schema => 'order_id BIGINT, line_no INT, product_id BIGINT, quantity DECIMAL(10,3), unit_price DECIMAL(12,4),
             lots ARRAY<INT>');

CREATE TEMPORARY VIEW price_events AS
SELECT * FROM STREAM read_files('feed/prices/*.json.gz',
  format => 'debezium',
  schema => 'price_id BIGINT, product_id BIGINT, valid_from TIMESTAMP, price DECIMAL(10,2), currency STRING,
             is_withdrawn BOOLEAN, reason STRING');

CREATE TEMPORARY VIEW cart_events AS
SELECT * FROM STREAM read_files('feed/carts/*.json.gz',
  format => 'debezium',
  schema => 'cart_id BIGINT, customer_id BIGINT, items INT, amount DECIMAL(12,2), changed_at TIMESTAMP,
             abandoned BOOLEAN, coupons ARRAY<STRING>');

-- ---------------------------------------------------------------------------------------------- latest versions

-- Long texts that an update leaves alone are not in the feed; each event names the columns that it really has.
CREATE OR REFRESH STREAMING TABLE customers COMMENT 'Latest version of each customer';
CREATE FLOW customers AS AUTO CDC INTO customers
FROM customer_events
KEYS (customer_id)
APPLY AS DELETE WHEN _op = 'd'
SEQUENCE BY STRUCT(_lsn, _position)
COLUMNS * EXCEPT (_op, _ts_ms, _lsn, _source, _position, _authored_columns)
STORED AS SCD TYPE 1
COLUMNS TO UPDATE _authored_columns;

CREATE OR REFRESH STREAMING TABLE orders COMMENT 'Latest version of each order';
CREATE FLOW orders AS AUTO CDC INTO orders
FROM order_events
KEYS (order_id)
APPLY AS DELETE WHEN _op = 'd'
SEQUENCE BY STRUCT(_lsn, _position)
COLUMNS * EXCEPT (_op, _ts_ms, _lsn, _source, _position, _authored_columns)
STORED AS SCD TYPE 1;

CREATE OR REFRESH STREAMING TABLE order_lines COMMENT 'Latest version of each line of an order';
CREATE FLOW order_lines AS AUTO CDC INTO order_lines
FROM order_line_events
KEYS (order_id, line_no)
APPLY AS DELETE WHEN _op = 'd'
SEQUENCE BY STRUCT(_lsn, _position)
COLUMNS * EXCEPT (_op, _ts_ms, _lsn, _source, _position, _authored_columns)
STORED AS SCD TYPE 1;

-- The table of carts was truncated once.
CREATE OR REFRESH STREAMING TABLE carts COMMENT 'Latest version of each cart';
CREATE FLOW carts AS AUTO CDC INTO carts
FROM cart_events
KEYS (cart_id)
APPLY AS DELETE WHEN _op = 'd'
APPLY AS TRUNCATE WHEN _op = 't'
SEQUENCE BY STRUCT(_lsn, _position)
COLUMNS * EXCEPT (_op, _ts_ms, _lsn, _source, _position, _authored_columns)
STORED AS SCD TYPE 1;

-- ---------------------------------------------------------------------------------------------- history

CREATE OR REFRESH STREAMING TABLE customers_history COMMENT 'All versions of each customer, by place in the log';
CREATE FLOW customers_history AS AUTO CDC INTO customers_history
FROM customer_events
KEYS (customer_id)
APPLY AS DELETE WHEN _op = 'd'
SEQUENCE BY _lsn
COLUMNS * EXCEPT (_op, _ts_ms, _lsn, _source, _position, _authored_columns)
STORED AS SCD TYPE 2
COLUMNS TO UPDATE _authored_columns;

-- Prices are corrected later, and some are learned late: both times matter.
CREATE OR REFRESH STREAMING TABLE prices COMMENT 'Prices by validity, and when each was known';
CREATE FLOW prices AS AUTO CDC INTO prices
FROM price_events
KEYS (product_id)
APPLY AS DELETE WHEN is_withdrawn
SEQUENCE BY valid_from
SYSTEM SEQUENCE BY _lsn
COLUMNS (product_id, price, currency)
STORED AS BITEMPORAL;

CREATE OR REFRESH STREAMING TABLE prices_history COMMENT 'Prices by validity, as known today';
CREATE FLOW prices_history AS AUTO CDC INTO prices_history
FROM price_events
KEYS (product_id)
APPLY AS DELETE WHEN is_withdrawn
SEQUENCE BY valid_from
COLUMNS (product_id, price, currency)
STORED AS SCD TYPE 2;

-- ---------------------------------------------------------------------------------------------- reports

CREATE OR REFRESH MATERIALIZED VIEW revenue_by_month COMMENT 'Orders and their total by month'
AS SELECT date_format(placed_at, 'yyyy-MM') AS month,
          count(*) AS orders,
          sum(total) AS total,
          sum(coalesce(refund, 0)) AS refunded
   FROM orders
   WHERE status <> 'cancelled'
   GROUP BY date_format(placed_at, 'yyyy-MM');
