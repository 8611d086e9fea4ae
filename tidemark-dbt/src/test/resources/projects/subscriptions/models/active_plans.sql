{{ config(materialized='view') }}
select id, plan, cents / 100.0 as price from {{ source('billing', 'plans') }} where not cancelled
