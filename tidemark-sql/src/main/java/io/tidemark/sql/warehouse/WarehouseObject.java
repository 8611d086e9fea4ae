package io.tidemark.sql.warehouse;

import io.tidemark.core.flow.DatasetDefinition.View;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.DeltaTable;

/** What stands behind a name in a warehouse. */
public sealed interface WarehouseObject {
    /** The name that was looked for. */
    TableName name();

    /**
     * A Delta table.
     *
     * @param name the name
     * @param table the table
     */
    record Table(TableName name, DeltaTable table) implements WarehouseObject {}

    /**
     * A stored view.
     *
     * @param view its definition; its places lie in the view's file
     */
    record StoredView(View view) implements WarehouseObject {
        @Override
        public TableName name() {
            return view.name();
        }
    }

    /**
     * There is neither a table nor a view.
     *
     * @param name the name
     */
    record Nothing(TableName name) implements WarehouseObject {}
}
