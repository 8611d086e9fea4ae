package io.tidemark.sql.session;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.StructField;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.WiderTypes;
import io.tidemark.sql.parse.TableChange;

/** Refuses changes of a column's type that rows do not allow. */
final class TypeWidening {
    private TypeWidening() {}

    /** Refuses changes of type that old files do not allow. */
    static void check(Snapshot table, StructField field, TableChange.ColumnType change) {
        if (!WiderTypes.isWider(field.type(), change.type())) {
            throw TidemarkException.of(
                            ErrorCode.SCHEMA_MISMATCH,
                            "column " + field.name() + " of type "
                                    + field.type().sql() + " cannot become "
                                    + change.type().sql())
                    .at(change.column().location())
                    .hint("types can only become wider: TINYINT, SMALLINT, INT, BIGINT, DECIMAL; FLOAT to DOUBLE;"
                            + " DATE to TIMESTAMP_NTZ")
                    .build();
        }
        if (!Boolean.parseBoolean(table.properties().getOrDefault(WiderTypes.ENABLED, "false"))) {
            throw TidemarkException.of(
                            ErrorCode.TABLE_FEATURE_UNSUPPORTED, "the table does not allow wider types of its columns")
                    .at(change.column().location())
                    .hint("ALTER TABLE ... SET TBLPROPERTIES ('" + WiderTypes.ENABLED + "' = 'true')")
                    .build();
        }
    }
}
