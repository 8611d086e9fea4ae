select * from {{ ref('stg_stock') }}
