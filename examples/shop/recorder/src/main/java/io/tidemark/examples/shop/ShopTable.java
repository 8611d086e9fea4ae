// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The recorded tables: their columns in database order and their primary keys. */
public enum ShopTable {

    /** Customers: long out-of-line texts, arrays, key changes. */
    CUSTOMERS(1, "customer_id INTEGER", "name TEXT", "email TEXT", "phone TEXT", "tags ARRAY", "birth_date DATE",
            "registered_at INSTANT", "last_visit TIMESTAMP", "newsletter BOOLEAN", "balance DECIMAL", "notes TEXT"),

    /** Orders: a status life cycle. */
    ORDERS(1, "order_id INTEGER", "customer_id INTEGER", "status TEXT", "placed_at INSTANT", "promised_for TIMESTAMP",
            "shipped_at INSTANT", "delivered_on DATE", "total DECIMAL", "refund DECIMAL", "is_gift BOOLEAN",
            "remark TEXT"),

    /** Order lines: a key of two columns. */
    ORDER_LINES(2, "order_id INTEGER", "line_no INTEGER", "product_id INTEGER", "quantity DECIMAL",
            "unit_price DECIMAL", "lots ARRAY"),

    /** Price events with a business time of their own. */
    PRICES(1, "price_id INTEGER", "product_id INTEGER", "valid_from INSTANT", "price DECIMAL", "currency TEXT",
            "is_withdrawn BOOLEAN", "reason TEXT"),

    /** Carts: truncated once and filled again. */
    CARTS(1, "cart_id INTEGER", "customer_id INTEGER", "items INTEGER", "amount DECIMAL", "changed_at INSTANT",
            "abandoned BOOLEAN", "coupons ARRAY");

    /** What a column holds, as far as the comparison of two texts of one value needs to know. */
    public enum Kind {
        /** int or bigint. */
        INTEGER,
        /** numeric; the scale counts. */
        DECIMAL,
        /** text. */
        TEXT,
        /** boolean. */
        BOOLEAN,
        /** date. */
        DATE,
        /** timestamp without time zone. */
        TIMESTAMP,
        /** timestamp with time zone. */
        INSTANT,
        /** an array, JSON in both texts. */
        ARRAY
    }

    /**
     * A column.
     *
     * @param name its name in the database
     * @param kind what it holds
     */
    public record Column(String name, Kind kind) {
    }

    private final int keySize;
    private final List<Column> columns;

    ShopTable(int keySize, String... columns) {
        this.keySize = keySize;
        this.columns = Arrays.stream(columns)
                .map(text -> text.split(" "))
                .map(parts -> new Column(parts[0], Kind.valueOf(parts[1])))
                .toList();
    }

    /** @return the table's name without schema */
    public String tableName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @return all columns in database order */
    public List<Column> columns() {
        return columns;
    }

    /** @return the primary key's columns, which are the first ones of the table */
    public List<Column> keyColumns() {
        return columns.subList(0, keySize);
    }

    /** @return the statement that writes the table as CSV, arrays as JSON, NULL as an unquoted {@code \N} */
    public String copyStatement() {
        String selected = columns.stream()
                .map(column -> column.kind() == Kind.ARRAY
                        ? "to_json(" + column.name() + ")::text AS " + column.name() : column.name())
                .collect(Collectors.joining(", "));
        String order = keyColumns().stream().map(Column::name).collect(Collectors.joining(", "));
        return "COPY (SELECT " + selected + " FROM shop." + tableName() + " ORDER BY " + order
                + ") TO STDOUT WITH (FORMAT csv, HEADER, NULL '" + CsvReader.NULL_MARKER + "')";
    }
}
