{% snapshot customers_snapshot %}

{{
    config(
      target_schema='snapshots',
      unique_key='customer_id',
      strategy='timestamp',
      updated_at='updated_at',
    )
}}

select
    customer_id,
    trim(name) as name,
    loyalty_tier,
    cast(updated_at as timestamp) as updated_at
from {{ source('pos', 'customers') }}

{% endsnapshot %}
