{# Both snapshots read the same table; only one of them looks at everything. #}
{% set unused = 'what stands outside of blocks is left out' %}

{% snapshot vans %}
    {{ config(unique_key='van_key', strategy='check', schema='hist') }}
    {% if var('strict') | as_bool %}
        {{ config(check_cols='all') }}
    {% else %}
        {{ config(check_cols=var('tracked')) }}
    {% endif %}

    select
        {{ dbt_utils.generate_surrogate_key(['country', 'plate']) }} as van_key,
        country,
        plate,
        {%- for column in var('tracked') %}
        {{ clean_text(column) }} as {{ column }},
        {%- endfor %}
        odometer
    from {{ source('telematics', 'vans') }}
    {% if target.name == 'prod' %} where country = 'DE' {% endif %}
{% endsnapshot %}

{% snapshot odometers %}
    {{ config(unique_key="country || '-' || plate", strategy='timestamp', updated_at='read_at',
              target_schema=generate_schema_name('hist'), alias='odometer_history', enabled=(target.name != 'ci')) }}
    select country, plate, odometer, cast(read_at as date) as read_at from {{ source('telematics', 'vans') }}
{% endsnapshot %}
