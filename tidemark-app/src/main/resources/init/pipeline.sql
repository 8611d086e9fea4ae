-- A change feed of customers becomes two tables: the latest version of each customer, and all versions.
-- Run it with: tidemark run pipeline.sql
-- The pipeline is called like this file. To rename the file later, give the pipeline that name first:
-- SET tidemark.pipeline.id = 'pipeline';

CREATE TEMPORARY VIEW customer_events AS
SELECT *
FROM STREAM read_files('events/*.csv',
  format => 'csv',
  schema => 'op STRING, id BIGINT, name STRING, city STRING, changed_at TIMESTAMP');

CREATE OR REFRESH STREAMING TABLE customers;
CREATE FLOW customers AS AUTO CDC INTO customers
FROM customer_events
KEYS (id)
APPLY AS DELETE WHEN op = 'D'
SEQUENCE BY changed_at
COLUMNS * EXCEPT (op)
STORED AS SCD TYPE 1;

CREATE OR REFRESH STREAMING TABLE customers_history;
CREATE FLOW customers_history AS AUTO CDC INTO customers_history
FROM customer_events
KEYS (id)
APPLY AS DELETE WHEN op = 'D'
SEQUENCE BY changed_at
COLUMNS * EXCEPT (op, changed_at)
STORED AS SCD TYPE 2;
