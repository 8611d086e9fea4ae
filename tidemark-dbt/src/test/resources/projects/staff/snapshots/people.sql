{% snapshot people_history %}
{{ config(target_schema='hr_history', unique_key='id', strategy='check', check_cols=['team']) }}
select * from {{ source('hr', 'people') }}
{% endsnapshot %}
