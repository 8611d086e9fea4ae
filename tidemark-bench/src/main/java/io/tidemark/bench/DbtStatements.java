package io.tidemark.bench;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The statements that dbt-duckdb sends for a snapshot: a staging table of one join for each kind of change, an UPDATE
 * that ends rows and an INSERT of the new ones.
 *
 * @param check whether compared columns decide, all of them; otherwise the time does
 * @param deletes whether rows whose key is gone are closed, which takes a third join
 * @param source the source's table
 * @param target the snapshot's table
 * @param time the run's time, where dbt has {@code now()}
 */
record DbtStatements(boolean check, boolean deletes, String source, String target, String time) {
    private static final String STAGING = "customers_snapshot__dbt_tmp";

    /** The id of a version that begins at a time. */
    static String id(String start) {
        return "md5(coalesce(cast(id as varchar), '') || '|' || coalesce(cast(" + start + " as varchar), ''))";
    }

    private String updated() {
        return check ? "cast(timestamp '" + time + "' as timestamp)" : "updated_at";
    }

    /** The first run. */
    String create() {
        return "create table " + target + " as select *, " + id(updated()) + " as dbt_scd_id, " + updated()
                + " as dbt_updated_at, " + updated() + " as dbt_valid_from, coalesce(nullif(" + updated() + ", "
                + updated() + "), null) as dbt_valid_to from (select * from " + source + ") sbq";
    }

    private String rowChanged() {
        if (!check) {
            return "(snapshotted_data.dbt_valid_from < source_data.updated_at)";
        }
        return SnapshotInput.COLUMNS.stream()
                .map(column -> "snapshotted_data." + column + " != source_data." + column
                        + " or (((snapshotted_data." + column + " is null) and not (source_data." + column
                        + " is null)) or ((not snapshotted_data." + column + " is null) and (source_data." + column
                        + " is null)))")
                .collect(Collectors.joining(" or ", "(", ")"));
    }

    /** A later run, in one transaction. */
    List<String> update() {
        String now = "cast(timestamp '" + time + "' as timestamp)";
        String same = " on snapshotted_data.dbt_unique_key = source_data.dbt_unique_key ";
        String staging = "create temporary table " + STAGING + " as with snapshot_query as (select * from " + source
                + "), snapshotted_data as (select *, id as dbt_unique_key from " + target
                + " where dbt_valid_to is null), insertions_source_data as (select *, id as dbt_unique_key, "
                + updated()
                + " as dbt_updated_at, " + updated() + " as dbt_valid_from, coalesce(nullif(" + updated() + ", "
                + updated() + "), null) as dbt_valid_to, " + id(updated())
                + " as dbt_scd_id from snapshot_query), updates_source_data as (select *, id as dbt_unique_key, "
                + updated() + " as dbt_updated_at, " + updated() + " as dbt_valid_from, " + updated()
                + " as dbt_valid_to from snapshot_query), "
                + (deletes ? "deletes_source_data as (select *, id as dbt_unique_key from snapshot_query), " : "")
                + "insertions as (select 'insert' as dbt_change_type, source_data.* from insertions_source_data as"
                + " source_data left outer join snapshotted_data" + same
                + "where snapshotted_data.dbt_unique_key is null or (snapshotted_data.dbt_unique_key is not null and ("
                + rowChanged() + "))), updates as (select 'update' as dbt_change_type, source_data.*,"
                + " snapshotted_data.dbt_scd_id from updates_source_data as source_data join snapshotted_data" + same
                + "where (" + rowChanged() + "))"
                + (deletes
                        ? ", deletes as (select 'delete' as dbt_change_type, source_data.*, " + now
                                + " as dbt_valid_from, " + now + " as dbt_updated_at, " + now + " as dbt_valid_to,"
                                + " snapshotted_data.dbt_scd_id from snapshotted_data left join deletes_source_data as"
                                + " source_data" + same + "where source_data.dbt_unique_key is null)"
                        : "")
                + " select * from insertions union all select * from updates"
                + (deletes ? " union all select * from deletes" : "");
        String columns =
                String.join(", ", SnapshotInput.COLUMNS) + ", dbt_updated_at, dbt_valid_from, dbt_valid_to, dbt_scd_id";
        return List.of(
                "begin transaction",
                staging,
                "update " + target + " as dbt_internal_target set dbt_valid_to = dbt_internal_source.dbt_valid_to from "
                        + STAGING + " as dbt_internal_source where dbt_internal_source.dbt_scd_id::text ="
                        + " dbt_internal_target.dbt_scd_id::text and dbt_internal_source.dbt_change_type::text in"
                        + " ('update'::text, 'delete'::text) and dbt_internal_target.dbt_valid_to is null",
                "insert into " + target + " (" + columns + ") select " + columns + " from " + STAGING
                        + " as dbt_internal_source where dbt_internal_source.dbt_change_type::text = 'insert'::text",
                "commit",
                "drop table " + STAGING);
    }
}
