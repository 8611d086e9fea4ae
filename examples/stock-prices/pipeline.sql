-- Prices of stocks with two time axes: when a price held, and when we learned of it.
-- Run it with: ./tidemark run examples/stock-prices/pipeline.sql
-- What did we believe on 3 January about the price of 2 January?
--   SELECT price FROM stock_prices WHERE symbol = 'TIDE'
--     AND __START_AT <= TIMESTAMP '2025-01-02' AND (__END_AT IS NULL OR __END_AT > TIMESTAMP '2025-01-02')
--     AND __SYSTEM_START_AT <= TIMESTAMP '2025-01-03'
--     AND (__SYSTEM_END_AT IS NULL OR __SYSTEM_END_AT > TIMESTAMP '2025-01-03')

CREATE OR REFRESH STREAMING TABLE stock_prices;

CREATE FLOW stock_prices AS AUTO CDC INTO stock_prices
FROM STREAM read_files('events/*.csv',
  format => 'csv',
  schema => 'symbol STRING, price DECIMAL(10,2), happened TIMESTAMP, learned TIMESTAMP, withdrawn BOOLEAN')
KEYS (symbol)
APPLY AS DELETE WHEN withdrawn
SEQUENCE BY happened
SYSTEM SEQUENCE BY learned
COLUMNS * EXCEPT (happened, learned, withdrawn)
STORED AS BITEMPORAL;
