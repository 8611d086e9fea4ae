package io.tidemark.delta.kernel;

import io.delta.kernel.data.ColumnVector;
import io.delta.kernel.data.ColumnarBatch;
import io.delta.kernel.data.FilteredColumnarBatch;
import io.delta.kernel.defaults.engine.DefaultExpressionHandler;
import io.delta.kernel.types.DataType;
import io.delta.kernel.types.StructType;
import io.delta.kernel.utils.CloseableIterator;
import io.tidemark.delta.log.FileKey;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Actions for a checkpoint, youngest first, without the removals of files that were added again. A RESTORE adds files
 * that an earlier commit removed. Kernel hands over both; a reader that takes the actions of a checkpoint in no order, as
 * Spark does, then loses the files.
 */
final class LiveFilesOnly implements CloseableIterator<FilteredColumnarBatch> {
    private static final DefaultExpressionHandler EXPRESSIONS = new DefaultExpressionHandler();

    private final CloseableIterator<FilteredColumnarBatch> actions;
    private final Set<FileKey> live = new HashSet<>();

    LiveFilesOnly(CloseableIterator<FilteredColumnarBatch> actions) {
        this.actions = actions;
    }

    @Override
    public boolean hasNext() {
        return actions.hasNext();
    }

    @Override
    public FilteredColumnarBatch next() {
        FilteredColumnarBatch batch = actions.next();
        ColumnarBatch data = batch.getData();
        int add = data.getSchema().indexOf("add");
        int remove = data.getSchema().indexOf("remove");
        if (add < 0 || remove < 0) {
            return batch;
        }
        ColumnVector adds = data.getColumnVector(add);
        ColumnVector removes = data.getColumnVector(remove);
        boolean[] selected = selection(batch);
        boolean changed = false;
        for (int row = 0; row < selected.length; row++) {
            if (selected[row] && !adds.isNullAt(row)) {
                live.add(key(adds, row));
            } else if (selected[row] && !removes.isNullAt(row) && live.contains(key(removes, row))) {
                selected[row] = false;
                changed = true;
            }
        }
        return changed
                ? new FilteredColumnarBatch(
                        data, Optional.of(EXPRESSIONS.createSelectionVector(selected, 0, selected.length)))
                : batch;
    }

    private static boolean[] selection(FilteredColumnarBatch batch) {
        Optional<ColumnVector> selection = batch.getSelectionVector();
        boolean[] selected = new boolean[batch.getData().getSize()];
        for (int row = 0; row < selected.length; row++) {
            selected[row] = selection.isEmpty()
                    || (!selection.get().isNullAt(row) && selection.get().getBoolean(row));
        }
        return selected;
    }

    private static FileKey key(ColumnVector files, int row) {
        String path = child(files, "path").getString(row);
        ColumnVector vector = child(files, "deletionVector");
        if (vector.isNullAt(row)) {
            return new FileKey(path, null);
        }
        ColumnVector offset = child(vector, "offset");
        return new FileKey(
                path,
                child(vector, "storageType").getString(row)
                        + child(vector, "pathOrInlineDv").getString(row)
                        + (offset.isNullAt(row) ? "" : "@" + offset.getInt(row)));
    }

    private static ColumnVector child(ColumnVector struct, String name) {
        DataType type = struct.getDataType();
        return struct.getChild(((StructType) type).indexOf(name));
    }

    @Override
    public void close() throws IOException {
        actions.close();
    }
}
