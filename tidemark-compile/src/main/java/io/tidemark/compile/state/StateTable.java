package io.tidemark.compile.state;

import io.tidemark.compile.catalog.Catalog;
import io.tidemark.compile.catalog.CatalogVersion;
import io.tidemark.compile.catalog.StateDraft;
import io.tidemark.compile.catalog.StateFile;
import io.tidemark.compile.work.Relations;
import io.tidemark.core.engine.Dialect;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A relation of a task's state: what it holds at the base version, and how it goes on. Files form a log-structured merge
 * tree: each run adds one file with the owners that it touched, and files of similar size are merged, so that there are
 * few files and each row is rewritten a few times at most.
 */
public final class StateTable {
    /** A file is merged into a newer one that has at least this share of its rows. */
    private static final int SIZE_RATIO = 4;

    private static final String RUN = "run";

    private final Relations relations;
    private final StateShape shape;
    private final String name;
    private final Optional<String> files;
    private final String live;

    private StateTable(Relations relations, StateShape shape, String name, Optional<String> files, boolean single) {
        this.relations = relations;
        this.shape = shape;
        this.name = name;
        this.files = files;
        String rows = files.map(each -> single ? each : "(" + newest(each, true) + ")")
                .orElseGet(() -> "(" + dialect().emptySelect(shape.columns()) + ")");
        this.live = rows;
    }

    /**
     * The state of a task at a version.
     *
     * @throws io.tidemark.core.error.TidemarkException {@code STATE_MISSING}, {@code STATE_CORRUPT}
     */
    public static StateTable of(
            Relations relations, Catalog catalog, CatalogVersion version, String task, StateShape shape) {
        String name = name(task, shape);
        int count = catalog.draftState(version).files(name).size();
        if (count == 0) {
            return empty(relations, task, shape);
        }
        String raw = relations.fresh("files_" + shape.name());
        catalog.registerState(relations.engine(), raw, version, name, shape.columns(), Optional.of(RUN));
        String reference = relations.adopt(raw, Catalog.relations(raw));
        // A single file holds each owner once and nothing that stands for an absence.
        return new StateTable(relations, shape, name, Optional.of(reference), count == 1);
    }

    /** The state of a task that remembers nothing. */
    public static StateTable empty(Relations relations, String task, StateShape shape) {
        return new StateTable(relations, shape, name(task, shape), Optional.empty(), false);
    }

    /** The name of a task's relation within the state. */
    public static String name(String task, StateShape shape) {
        return task + "/" + shape.name();
    }

    /** Whether there is anything in it. */
    public boolean exists() {
        return files.isPresent();
    }

    /**
     * The rows of some owners, read once.
     *
     * @param touched relation with the owner's columns
     * @param columns the columns that are wanted, among them those of the owner
     */
    public String rowsOf(String touched, String columns) {
        String owner = shape.ownerList();
        return exists()
                ? relations.table(
                        "old_" + shape.name(),
                        "SELECT " + columns + " FROM " + live + " o JOIN (SELECT DISTINCT " + owner + " FROM " + touched
                                + ") t USING (" + owner + ")")
                : live;
    }

    /** The relation with the rows that count. */
    public String live() {
        return live;
    }

    /** The form of the rows. */
    public StateShape shape() {
        return shape;
    }

    /**
     * The rows after a run that touched some owners.
     *
     * @param touched relation with the owner's columns
     * @param fresh relation with all rows that the touched owners have now
     */
    public String next(String touched, String fresh) {
        String owner = shape.ownerList();
        String kept = "SELECT " + shape.columnList() + " FROM (SELECT o.*, t.touched FROM " + live
                + " o LEFT JOIN (SELECT DISTINCT " + owner + ", 1 AS touched FROM " + touched + ") t USING (" + owner
                + ")) k WHERE touched IS NULL";
        return relations.view(
                "next_" + shape.name(), kept + " UNION ALL SELECT " + shape.columnList() + " FROM " + fresh);
    }

    /**
     * Writes what a run changed: see {@link #next}.
     *
     * @param old relation with the rows that the touched owners had before, or their owner's columns at least
     */
    public void write(StateDraft draft, String old, String fresh) {
        String owner = shape.ownerList();
        String values = shape.valueFields().stream()
                .map(field -> dialect().nullOf(field.type()) + " AS " + field.name())
                .collect(Collectors.joining(", "));
        String gone = " UNION ALL SELECT " + owner + ", " + values + " FROM (SELECT " + owner + " FROM " + old
                + " EXCEPT SELECT " + owner + " FROM " + fresh + ") g";
        String delta = relations.table(
                "delta_" + shape.name(), "SELECT " + shape.columnList() + " FROM " + fresh + (exists() ? gone : ""));
        long rows = relations.count(delta);
        if (rows == 0) {
            return;
        }
        List<StateFile> all = draft.files(name);
        int keep = all.size();
        while (keep > 0 && all.get(keep - 1).rowCount() <= SIZE_RATIO * rows) {
            rows += all.get(--keep).rowCount();
        }
        List<String> parts = new ArrayList<>();
        if (keep < all.size()) {
            parts.add("SELECT " + shape.columnList() + ", " + RUN + " FROM " + files.orElseThrow() + " WHERE " + RUN
                    + " >= " + keep);
        }
        parts.add("SELECT " + shape.columnList() + ", " + all.size() + " AS " + RUN + " FROM " + delta);
        // One run holds each owner once.
        boolean alone = parts.size() == 1;
        String merged = alone
                ? "SELECT " + shape.columnList() + " FROM " + delta
                        + (keep == 0 ? " WHERE " + shape.presence() + " IS NOT NULL" : "")
                : newest("(" + String.join(" UNION ALL ", parts) + ")", keep == 0);
        draft.replaceFrom(relations.engine(), name, keep, merged, shape.columns(), shape.ownerColumns());
    }

    /** Writes all rows anew. */
    public void replace(StateDraft draft, String rows) {
        draft.replace(
                relations.engine(),
                name,
                "SELECT " + shape.columnList() + " FROM " + rows,
                shape.columns(),
                shape.ownerColumns());
    }

    /** The newest rows of each owner; rows that stand for nothing are left out only if no older file lies below. */
    private String newest(String rows, boolean withOldest) {
        String owner = shape.ownerList();
        return "SELECT " + shape.columnList() + " FROM " + rows + " r JOIN (SELECT " + owner + ", max(" + RUN
                + ") AS newest FROM " + rows + " a GROUP BY " + owner + ") n USING (" + owner + ") WHERE " + RUN
                + " = newest" + (withOldest ? " AND " + shape.presence() + " IS NOT NULL" : "");
    }

    private Dialect dialect() {
        return relations.engine().dialect();
    }
}
