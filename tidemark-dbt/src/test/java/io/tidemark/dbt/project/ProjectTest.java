package io.tidemark.dbt.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.project.SnapshotSettings.HardDeletes;
import io.tidemark.dbt.project.SnapshotSettings.Strategy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProjectTest {
    private static final String MINIMAL = "{{ config(strategy='check', unique_key='id', check_cols='all') }}";

    @TempDir
    private Path folder;

    private ProjectFolder project;

    @BeforeEach
    void open() {
        project = new ProjectFolder(folder);
    }

    /** Relations print as kind and full name, so that tests see what was resolved. */
    private static final References SHOWN = new References() {
        @Override
        public RelationName model(ModelNode model) {
            return shown(model.kind() + ":" + model.schema() + "." + model.identifier());
        }

        @Override
        public RelationName snapshot(SnapshotNode snapshot) {
            return shown("SNAPSHOT:" + snapshot.schema() + "." + snapshot.identifier());
        }

        @Override
        public RelationName source(SourceTable source) {
            return shown("SOURCE:" + source.schema() + "." + source.identifier());
        }

        @Override
        public RelationName self() {
            return new RelationName("db", "sch", "me", "SELF");
        }

        private RelationName shown(String text) {
            return new RelationName("db", "sch", text, "<" + text + ">");
        }
    };

    private static SnapshotNode only(Project read) {
        assertThat(read.snapshots()).hasSize(1);
        return read.snapshots().get(0);
    }

    private static String sql(Project read) {
        return read.compile(only(read), SHOWN);
    }

    private TidemarkException error() {
        return catchThrowableOfType(TidemarkException.class, () -> {
            Project read = project.read();
            read.snapshots().forEach(node -> read.compile(node, SHOWN));
        });
    }

    private void fails(ErrorCode code, String file, int line, String text) {
        TidemarkException error = error();
        assertThat(error).isNotNull();
        assertThat(error.code()).as(error.render()).isEqualTo(code);
        assertThat(error.render()).contains(text);
        assertThat(error.location()).as(error.render()).isPresent();
        assertThat(error.location().get().file()).endsWith(file);
        assertThat(error.location().get().line()).as(error.render()).isEqualTo(line);
    }

    @Test
    void aBlockIsASnapshot() {
        project.file(
                "snapshots/orders.sql",
                "{% snapshot orders_snapshot %}",
                "{{",
                "    config(",
                "      target_schema='snapshots',",
                "      unique_key='id',",
                "      strategy='timestamp',",
                "      updated_at='updated_at',",
                "    )",
                "}}",
                "select * from {{ source('jaffle', 'orders') }}",
                "{% endsnapshot %}");
        project.file(
                "models/sources.yml",
                "sources:",
                "  - name: jaffle",
                "    schema: raw",
                "    tables:",
                "      - name: orders",
                "        identifier: raw_orders");
        SnapshotNode node = only(project.read());
        assertThat(node.name()).isEqualTo("orders_snapshot");
        assertThat(node.schema()).isEqualTo("snapshots");
        assertThat(node.identifier()).isEqualTo("orders_snapshot");
        assertThat(node.settings().strategy()).isEqualTo(Strategy.TIMESTAMP);
        assertThat(node.settings().uniqueKey()).containsExactly("id");
        assertThat(node.settings().updatedAt()).contains("updated_at");
        assertThat(sql(project.read())).isEqualTo("select * from <SOURCE:raw.raw_orders>");
    }

    @Test
    void oneFileHoldsSeveralBlocksAndWhatIsOutsideIsLeftOut() {
        project.file(
                "snapshots/deep/two.sql",
                "{# {% snapshot none %} #}",
                "{% set dropped = nobody_knows_this %}",
                "{%- snapshot a -%}" + MINIMAL + "select 1 as id{%- endsnapshot -%}",
                "text {% raw %}{% snapshot not_this %}{% endraw %}",
                "{% snapshot b %}" + MINIMAL + "select 2 as id{% endsnapshot %}");
        Project read = project.read();
        assertThat(read.snapshots().stream().map(SnapshotNode::name)).containsExactly("a", "b");
        assertThat(read.snapshots().get(1).fullName()).containsExactly("shop", "deep", "two", "b");
        assertThat(read.compile(read.snapshots().get(0), SHOWN)).isEqualTo("select 1 as id");
    }

    @Test
    void configMayBeCalledSeveralTimesAndInsideOfConditions() {
        project.file(
                "snapshots/s.sql",
                "{% snapshot s %}",
                "{{ config(strategy='check', unique_key=['a', 'b'], check_cols=['c']) }}",
                "{% if target.name == 'prod' %}{{ config(target_schema='live_history') }}",
                "{% else %}{{ config(target_schema='dev_history', hard_deletes='new_record') }}{% endif %}",
                "select 1 as a, 2 as b, 3 as c",
                "{% endsnapshot %}");
        SnapshotNode node = only(project.read());
        assertThat(node.schema()).isEqualTo("dev_history");
        assertThat(node.settings().hardDeletes()).isEqualTo(HardDeletes.NEW_RECORD);
        assertThat(node.settings().uniqueKey()).containsExactly("a", "b");
        SnapshotNode live = only(Project.read(project.options().withTarget("prod")));
        assertThat(live.schema()).isEqualTo("live_history");
        assertThat(live.settings().hardDeletes()).isEqualTo(HardDeletes.IGNORE);
    }

    @Test
    void aYamlSnapshotReadsItsRelation() {
        project.file("models/stg/orders_view.sql", "select 1 as id");
        project.file(
                "snapshots/all.yml",
                "snapshots:",
                "  - name: orders_history",
                "    relation: ref('orders_view')",
                "    config:",
                "      unique_key: id",
                "      strategy: check",
                "      check_cols: all",
                "      dbt_valid_to_current: \"to_date('9999-12-31')\"",
                "      snapshot_meta_column_names: {dbt_valid_from: start_date}");
        SnapshotNode node = only(project.read());
        assertThat(sql(project.read())).isEqualTo("select * from <QUERY:analytics.orders_view>");
        assertThat(node.settings().validToCurrent()).contains("to_date('9999-12-31')");
        assertThat(node.settings().columns().validFrom()).isEqualTo("start_date");
        assertThat(node.settings().columns().validTo()).isEqualTo("dbt_valid_to");
        assertThat(node.fullName()).containsExactly("shop", "orders_history");
    }

    @Test
    void optionsOfTheProjectGiveWayToYamlAndThoseToTheBlock() {
        project.file(
                "dbt_project.yml",
                "name: shop",
                "profile: shop",
                "snapshots:",
                "  +tags: base",
                "  +hard_deletes: invalidate",
                "  shop:",
                "    +schema: hist",
                "    finance:",
                "      +unique_key: code",
                "      +tags: ['money']",
                "      +check_cols: all");
        project.file(
                "snapshots/finance/rates.sql",
                "{% snapshot rates %}{{ config(alias='rates_v', tags=['own']) }}select 1 as code{% endsnapshot %}");
        project.file(
                "snapshots/finance/rates.yml",
                "snapshots:",
                "  - name: rates",
                "    tags: [yaml]",
                "    config: {strategy: check, hard_deletes: new_record, alias: overridden}");
        SnapshotNode node = only(project.read());
        assertThat(node.settings().uniqueKey()).containsExactly("code");
        assertThat(node.settings().hardDeletes()).isEqualTo(HardDeletes.NEW_RECORD);
        assertThat(node.identifier()).isEqualTo("rates_v");
        assertThat(node.schema()).isEqualTo("analytics_hist");
        assertThat(node.tags()).containsExactlyInAnyOrder("base", "money", "yaml", "own");
    }

    @Test
    void theProjectsOwnRuleForSchemasHolds() {
        project.file(
                "macros/generate_schema_name.sql",
                "{% macro generate_schema_name(custom_schema_name, node) -%}",
                "    {%- set default_schema = target.schema -%}",
                "    {%- if custom_schema_name is none -%}",
                "        {{ default_schema }}",
                "    {%- else -%}",
                "        {{ custom_schema_name | trim }}",
                "    {%- endif -%}",
                "{%- endmacro %}",
                "{% test not_negative(model, column_name) %} select nonsense( {% endtest %}");
        project.file(
                "snapshots/s.sql",
                "{% snapshot a %}{{ config(schema='exact') }}" + MINIMAL + "select 1 as id{% endsnapshot %}",
                "{% snapshot b %}" + MINIMAL + "select 1 as id{% endsnapshot %}",
                "{% snapshot c %}{{ config(target_schema=generate_schema_name('called')) }}" + MINIMAL
                        + "select 1 as id{% endsnapshot %}");
        assertThat(project.read().snapshots().stream().map(SnapshotNode::schema))
                .containsExactly("exact", "analytics", "called");
    }

    @Test
    void variablesEnvironmentAndMacrosAreThere() {
        project.file(
                "dbt_project.yml",
                "name: shop",
                "profile: shop",
                "vars:",
                "  city: Rome",
                "  shop: {limit: 5}",
                "snapshots: {shop: {+target_schema: \"{{ target.schema }}_{{ env_var('STAGE', 'none') }}\"}}");
        project.file(
                "macros/m.sql", "{% macro clean(column, kind='text') %}trim({{ column }})::{{ kind }}{% endmacro %}");
        project.file(
                "snapshots/s.sql",
                "{% snapshot s %}" + MINIMAL,
                "{% set columns = ['a', 'b'] %}",
                "select {% for c in columns %}{{ clean(c) }} as {{ c }}{% if not loop.last %}, {% endif %}{% endfor %}",
                ", {{ dbt_utils.generate_surrogate_key(['a', 'b']) }} as id",
                "from t where city = '{{ var('city') }}' and x < {{ var('limit') }} and y = {{ var('other', 7) }}",
                "and z = '{{ this.identifier }}' {{ 'and live' if target.name == 'prod' else 'and test' }}",
                "{% endsnapshot %}");
        project.set("STAGE", "blue");
        Project read = project.read(Map.of("city", "Oslo"));
        assertThat(only(read).schema()).isEqualTo("analytics_blue");
        assertThat(sql(read).replaceAll("\\s+", " "))
                .isEqualTo("select trim(a)::text as a, trim(b)::text as b , "
                        + "md5(cast(coalesce(cast(a as TEXT), '_dbt_utils_surrogate_key_null_') || '-' || "
                        + "coalesce(cast(b as TEXT), '_dbt_utils_surrogate_key_null_') as TEXT)) as id "
                        + "from t where city = 'Oslo' and x < 5 and y = 7 and z = 'me' and test");
    }

    @Test
    void modelsAreQueriesOrTables() {
        project.file(
                "dbt_project.yml", "name: shop", "profile: shop", "models: {shop: {marts: {+materialized: table}}}");
        project.file("models/marts/m_table.sql", "select 1");
        project.file("models/marts/m_view.sql", "{{ config(materialized='view', schema='x', alias='v') }} select 1");
        project.file("models/plain.sql", "select * from {{ ref('m_view') }}");
        project.file("models/props.yml", "models:", "  - name: plain", "    config: {materialized: ephemeral}");
        project.file("seeds/countries.csv", "a,b");
        project.file(
                "snapshots/s.sql",
                "{% snapshot s %}" + MINIMAL + "select * from {{ ref('m_table') }}, {{ ref('shop', 'm_view') }},"
                        + " {{ ref('plain') }}, {{ ref('countries') }}{% endsnapshot %}");
        assertThat(sql(project.read()))
                .isEqualTo("select * from <TABLE:analytics.m_table>, <QUERY:analytics_x.v>,"
                        + " <QUERY:analytics.plain>, <TABLE:analytics.countries>");
    }

    @Test
    void snapshotsComeBehindThoseThatTheyRead() {
        project.file("models/between.sql", "select * from {{ ref('z_first') }}");
        project.file(
                "snapshots/s.sql",
                "{% snapshot a_last %}" + MINIMAL + "select id from {{ ref('between') }}{% endsnapshot %}",
                "{% snapshot z_first %}" + MINIMAL + "select 1 as id{% endsnapshot %}");
        Project read = project.read();
        assertThat(read.snapshots().stream().map(SnapshotNode::name)).containsExactly("z_first", "a_last");
        assertThat(read.snapshotsReadBy(read.snapshots().get(1))).containsExactly("z_first");
    }

    @Test
    void disabledSnapshotsAreLeftOut() {
        project.file(
                "snapshots/s.sql",
                "{% snapshot a %}{{ config(enabled=var('on', false)) }}" + MINIMAL + "select 1 as id{% endsnapshot %}");
        assertThat(project.read().snapshots()).isEmpty();
        assertThat(project.read(Map.of("on", true)).snapshots()).hasSize(1);
    }

    @Test
    void selectorsChooseByNameTagAndPath() {
        project.file(
                "snapshots/one/s.sql",
                "{% snapshot aa %}{{ config(tags='t1') }}" + MINIMAL + "select 1 as id{% endsnapshot %}",
                "{% snapshot ab %}{{ config(tags=['t1', 't2']) }}" + MINIMAL + "select 1 as id{% endsnapshot %}");
        project.file("snapshots/two/u.sql", "{% snapshot c %}" + MINIMAL + "select 1 as id{% endsnapshot %}");
        List<SnapshotNode> all = project.read().snapshots();
        assertThat(names(all, List.of("a*"), List.of())).containsExactly("aa", "ab");
        assertThat(names(all, List.of("tag:t2 c"), List.of())).containsExactly("ab", "c");
        assertThat(names(all, List.of("tag:t1,ab"), List.of())).containsExactly("ab");
        assertThat(names(all, List.of("path:snapshots/two"), List.of())).containsExactly("c");
        assertThat(names(all, List.of("snapshots/one/s.sql"), List.of("aa"))).containsExactly("ab");
        assertThat(names(all, List.of("one"), List.of())).containsExactly("aa", "ab");
        assertThat(names(all, List.of("shop.two.u.c"), List.of())).containsExactly("c");
        TidemarkException unknown =
                catchThrowableOfType(TidemarkException.class, () -> Selection.of(all, List.of("bb"), List.of()));
        assertThat(unknown.code()).isEqualTo(ErrorCode.UNKNOWN_NODE);
        assertThat(unknown.render()).contains("did you mean a");
    }

    private static List<String> names(List<SnapshotNode> all, List<String> select, List<String> exclude) {
        return Selection.of(all, select, exclude).stream()
                .map(SnapshotNode::name)
                .toList();
    }

    @Test
    void theOlderFlagForDeletesHolds() {
        project.file(
                "snapshots/s.sql",
                "{% snapshot s %}{{ config(invalidate_hard_deletes=True) }}" + MINIMAL
                        + "select 1 as id{% endsnapshot %}");
        assertThat(only(project.read()).settings().hardDeletes()).isEqualTo(HardDeletes.INVALIDATE);
    }

    @Test
    void ownOptionsMayStandInMeta() {
        project.file(
                "snapshots/s.sql",
                "{% snapshot s %}{{ config(meta={'tidemark': {'allow_empty_source': true} }, detect='hash') }}"
                        + MINIMAL + "select 1 as id{% endsnapshot %}");
        SnapshotSettings settings = only(project.read()).settings();
        assertThat(settings.allowEmptySource()).isTrue();
        assertThat(settings.detectByHash()).isTrue();
    }

    private void block(String config) {
        project.file("snapshots/s.sql", "{% snapshot s %}", config, "select 1 as id", "{% endsnapshot %}");
    }

    @Test
    void wrongOptionsAreRefusedWithTheirPlace() {
        block("{{ config(unique_key='id') }}");
        fails(ErrorCode.SNAPSHOT_CONFIG_INVALID, "snapshots/s.sql", 1, "has no strategy");
        block("{{ config(strategy='check', check_cols='all') }}");
        fails(ErrorCode.SNAPSHOT_CONFIG_INVALID, "snapshots/s.sql", 1, "has no unique_key");
        block("{{ config(strategy='timestamp', unique_key='id') }}");
        fails(ErrorCode.SNAPSHOT_CONFIG_INVALID, "snapshots/s.sql", 2, "no updated_at");
        block("{{ config(strategy='timestamp', unique_key='id', updated_at='u', check_cols=['a']) }}");
        fails(ErrorCode.SNAPSHOT_CONFIG_INVALID, "snapshots/s.sql", 2, "timestamp and check_cols");
        block("{{ config(strategy='check', unique_key='id') }}");
        fails(ErrorCode.SNAPSHOT_CONFIG_INVALID, "snapshots/s.sql", 2, "no check_cols");
        block("{{ config(strategy='check', unique_key='id', check_cols=[]) }}");
        fails(ErrorCode.SNAPSHOT_CONFIG_INVALID, "snapshots/s.sql", 2, "empty list of check_cols");
        block("{{ config(strategy='check', unique_key='id', check_cols='some') }}");
        fails(ErrorCode.SNAPSHOT_CONFIG_INVALID, "snapshots/s.sql", 2, "check_cols 'some'");
        block(MINIMAL + "{{ config(hard_deletes='drop') }}");
        fails(ErrorCode.SNAPSHOT_CONFIG_INVALID, "snapshots/s.sql", 2, "hard_deletes 'drop'");
        block(MINIMAL + "{{ config(hard_deletes='ignore', invalidate_hard_deletes=false) }}");
        fails(ErrorCode.SNAPSHOT_CONFIG_INVALID, "snapshots/s.sql", 2, "both hard_deletes");
        block(MINIMAL + "{{ config(materialized='table') }}");
        fails(ErrorCode.SNAPSHOT_CONFIG_INVALID, "snapshots/s.sql", 2, "materialized table");
        block(MINIMAL + "{{ config(uniqe_key='id') }}");
        fails(ErrorCode.SNAPSHOT_CONFIG_INVALID, "snapshots/s.sql", 2, "did you mean unique_key?");
        block(MINIMAL + "{{ config(snapshot_meta_column_names={'valid_from': 'x'}) }}");
        fails(ErrorCode.SNAPSHOT_CONFIG_INVALID, "snapshots/s.sql", 2, "no column of snapshots");
    }

    @Test
    void whatIsNotSupportedIsRefusedWithItsPlace() {
        block("{{ config(strategy='my_own', unique_key='id') }}");
        fails(ErrorCode.UNSUPPORTED_FEATURE, "snapshots/s.sql", 2, "strategy my_own");
        block(MINIMAL + "{{ config(indexes=[{'columns': ['id']}]) }}");
        fails(ErrorCode.UNSUPPORTED_FEATURE, "snapshots/s.sql", 2, "indexes");
        block(MINIMAL + "{{ config(post_hook={'transaction': true}) }}");
        fails(ErrorCode.PROJECT_INVALID, "snapshots/s.sql", 2, "a hook has no statement");
        block(MINIMAL + "{{ config(persist_docs={'tables': true}) }}");
        fails(ErrorCode.SNAPSHOT_CONFIG_INVALID, "snapshots/s.sql", 2, "persist_docs of tables");
        block(MINIMAL + "{{ config(target_database='elsewhere') }}");
        fails(ErrorCode.UNSUPPORTED_FEATURE, "snapshots/s.sql", 2, "target_database elsewhere");
        block(MINIMAL + "\n{% set r = run_query('select 1') %}");
        fails(ErrorCode.TEMPLATE_FAILED, "snapshots/s.sql", 3, "run_query");
        block(MINIMAL + "\n\n{{ ref('nobody') }}");
        fails(ErrorCode.UNKNOWN_NODE, "snapshots/s.sql", 4, "nobody");
        block(MINIMAL + "\n{{ ref('a', v=2) }}");
        fails(ErrorCode.UNSUPPORTED_FEATURE, "snapshots/s.sql", 3, "version of a model");
        block(MINIMAL + "\n{{ source('a', 'b') }}");
        fails(ErrorCode.UNKNOWN_NODE, "snapshots/s.sql", 3, "source a");
        block(MINIMAL + "\n{{ var('nothing') }}");
        fails(ErrorCode.TEMPLATE_FAILED, "snapshots/s.sql", 3, "variable nothing");
        block(MINIMAL + "\n{{ env_var('NOTHING') }}");
        fails(ErrorCode.TEMPLATE_FAILED, "snapshots/s.sql", 3, "environment variable NOTHING");
        block(MINIMAL + "\n{{ unknown_variable }}");
        fails(ErrorCode.TEMPLATE_FAILED, "snapshots/s.sql", 3, "unknown_variable");
        block(MINIMAL + "\n{{ config(a='x' }}");
        fails(ErrorCode.TEMPLATE_FAILED, "snapshots/s.sql", 3, "cannot be rendered");
    }

    @Test
    void brokenFilesAreNamedWithTheirPlace() {
        project.file("snapshots/s.sql", "", "{% snapshot s %}", "select 1");
        fails(ErrorCode.PROJECT_INVALID, "snapshots/s.sql", 2, "has no end");
        project.file("snapshots/s.sql", "{% snapshot a b %}{% endsnapshot %}");
        fails(ErrorCode.PROJECT_INVALID, "snapshots/s.sql", 1, "more than a name");
        project.file("snapshots/s.sql", "");
        project.file("snapshots/s.yml", "snapshots:", "  - name: ghost", "    config: {unique_key: id}");
        fails(ErrorCode.UNKNOWN_NODE, "snapshots/s.yml", 2, "ghost");
        project.file("snapshots/s.yml", "snapshots:", "  - name: g", "    relation: select 1");
        fails(ErrorCode.PROJECT_INVALID, "snapshots/s.yml", 3, "must be one call");
        project.file("snapshots/s.yml", "a: [1,", "b: }");
        fails(ErrorCode.PROJECT_INVALID, "snapshots/s.yml", 2, "not YAML");
        project.file("snapshots/s.yml", "");
        project.file("profiles.yml", "shop:", "  target: dev", "  outputs:", "    dev:", "      type: snowflake");
        fails(ErrorCode.ADAPTER_UNSUPPORTED, "profiles.yml", 5, "snowflake");
        project.file("profiles.yml", "other: {}");
        fails(ErrorCode.PROJECT_INVALID, "profiles.yml", 1, "no profile shop");
    }

    @Test
    void hooksOfTheProjectAreRefused() {
        project.file("dbt_project.yml", "name: shop", "profile: shop", "on-run-end:", "  - grant select on all tables");
        fails(ErrorCode.UNSUPPORTED_FEATURE, "dbt_project.yml", 4, "on-run-end");
        project.file("dbt_project.yml", "name: shop", "profile: shop", "on-run-end: []");
        assertThat(project.read().snapshots()).isEmpty();
    }

    @Test
    void circlesOfSnapshotsAreRefused() {
        project.file(
                "snapshots/s.sql",
                "{% snapshot a %}" + MINIMAL + "select * from {{ ref('b') }}{% endsnapshot %}",
                "{% snapshot b %}" + MINIMAL + "select * from {{ ref('a') }}{% endsnapshot %}");
        fails(ErrorCode.GRAPH_CYCLE, "snapshots/s.sql", 1, "in a circle");
    }

    @Test
    void twoSnapshotsOfOneNameAreRefused() {
        project.file(
                "snapshots/s.sql",
                "{% snapshot a %}" + MINIMAL + "select 1 as id{% endsnapshot %}",
                "{% snapshot a %}" + MINIMAL + "select 1 as id{% endsnapshot %}");
        fails(ErrorCode.DUPLICATE_NAME, "snapshots/s.sql", 2, "two snapshots a");
    }
}
