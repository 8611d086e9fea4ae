package io.tidemark.spark.engine.scan;

import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.UTF8String;

/** Some rows of a column. */
final class SelectedVector extends ColumnVector {
    private final ColumnVector all;
    private final int[] rows;

    /**
     * Selects rows.
     *
     * @param all the column; it stays its reader's, which closes it
     * @param rows indexes of the rows that count
     */
    SelectedVector(ColumnVector all, int[] rows) {
        super(all.dataType());
        this.all = all;
        this.rows = rows;
    }

    @Override
    public void close() {
        // The reader uses its vectors for the next batch.
    }

    @Override
    public boolean hasNull() {
        return all.hasNull();
    }

    @Override
    public int numNulls() {
        int count = 0;
        for (int row : rows) {
            count += all.isNullAt(row) ? 1 : 0;
        }
        return count;
    }

    @Override
    public boolean isNullAt(int row) {
        return all.isNullAt(rows[row]);
    }

    @Override
    public boolean getBoolean(int row) {
        return all.getBoolean(rows[row]);
    }

    @Override
    public byte getByte(int row) {
        return all.getByte(rows[row]);
    }

    @Override
    public short getShort(int row) {
        return all.getShort(rows[row]);
    }

    @Override
    public int getInt(int row) {
        return all.getInt(rows[row]);
    }

    @Override
    public long getLong(int row) {
        return all.getLong(rows[row]);
    }

    @Override
    public float getFloat(int row) {
        return all.getFloat(rows[row]);
    }

    @Override
    public double getDouble(int row) {
        return all.getDouble(rows[row]);
    }

    @Override
    public ColumnarArray getArray(int row) {
        return all.getArray(rows[row]);
    }

    @Override
    public ColumnarMap getMap(int row) {
        return all.getMap(rows[row]);
    }

    @Override
    public Decimal getDecimal(int row, int precision, int scale) {
        return all.getDecimal(rows[row], precision, scale);
    }

    @Override
    public UTF8String getUTF8String(int row) {
        return all.getUTF8String(rows[row]);
    }

    @Override
    public byte[] getBinary(int row) {
        return all.getBinary(rows[row]);
    }

    /** Parts of structs and intervals are asked for by the index of the row in this vector. */
    @Override
    public ColumnVector getChild(int ordinal) {
        return new SelectedVector(all.getChild(ordinal), rows);
    }
}
