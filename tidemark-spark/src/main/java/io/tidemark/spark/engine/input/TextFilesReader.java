package io.tidemark.spark.engine.input;

import io.tidemark.core.type.EpochMicros;
import io.tidemark.core.type.StructField;
import io.tidemark.files.FileRows;
import io.tidemark.files.RowReader;
import io.tidemark.files.SourceFile;
import io.tidemark.spark.engine.input.TextFilesScan.FileRange;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** Reads some files of text one after the other, row by row. */
final class TextFilesReader implements PartitionReader<InternalRow> {
    private final FileRows rows;
    private final int end;
    private final int[] columns;
    private final List<StructField> fields;
    private int nextFile;
    private @Nullable RowReader reader;
    private InternalRow metadata = InternalRow.empty();
    private InternalRow current = InternalRow.empty();

    TextFilesReader(FileRows rows, FileRange range, int[] columns) {
        this.rows = rows;
        this.nextFile = range.first();
        this.end = range.end();
        this.columns = columns;
        this.fields = rows.columns().fields();
    }

    @Override
    public boolean next() {
        while (true) {
            RowReader open = reader;
            if (open == null) {
                if (nextFile == end) {
                    return false;
                }
                open = rows.read(nextFile);
                reader = open;
                metadata = facts(rows.files().get(nextFile));
                nextFile++;
            }
            List<@Nullable Object> values = open.next();
            if (values != null) {
                current = row(values);
                return true;
            }
            close();
        }
    }

    private InternalRow row(List<@Nullable Object> values) {
        @Nullable Object[] row = new Object[columns.length];
        for (int i = 0; i < row.length; i++) {
            int column = columns[i];
            row[i] = column == fields.size()
                    ? metadata
                    : CatalystValues.of(values.get(column), fields.get(column).type());
        }
        return new GenericInternalRow(row);
    }

    private static InternalRow facts(SourceFile file) {
        return CatalystValues.row(
                UTF8String.fromString(file.path()),
                UTF8String.fromString(file.name()),
                file.sizeBytes(),
                EpochMicros.of(file.modified()));
    }

    @Override
    public InternalRow get() {
        return current;
    }

    @Override
    public void close() {
        RowReader open = reader;
        reader = null;
        if (open != null) {
            open.close();
        }
    }
}
