with source as (
    select * from {{ source('erp', 'stock') }}
),
renamed as (
    select
        upper(site) as site,
        sku,
        on_hand::int as on_hand,
        bin
    from source
    where sku is not null
)
select * from renamed
