{% snapshot stock_history %}
{{ config(schema='history', unique_key=['site', 'sku'], strategy='check', check_cols=['on_hand', 'bin']) }}
select site, sku, on_hand, bin from {{ ref('current_stock') }}
{% endsnapshot %}
