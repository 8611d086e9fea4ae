package io.tidemark.pipeline.state;

import io.tidemark.core.change.ChangeSpec;
import io.tidemark.core.change.PlanInputs;
import io.tidemark.core.change.StateMerge;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.RowPositions;
import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.type.StructField;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The remembered events of a target as a log-structured merge tree: each update adds one file, and files of similar size
 * are merged, so that there are few files and each record is rewritten a few times at most.
 */
public final class RememberedEvents {
    /** A file is merged into a newer one that has at least this share of its rows. */
    private static final int SIZE_RATIO = 4;

    private final StateFolder folder;
    private final Engine engine;
    private final ChangeSpec spec;

    /** The remembered events of a flow's target. */
    public RememberedEvents(StateFolder folder, Engine engine, ChangeSpec spec) {
        this.folder = folder;
        this.engine = engine;
        this.spec = spec;
    }

    /** Registers the records of a manifest with the engine; nothing if there are none. */
    public Optional<String> register(Manifest manifest, String relation) {
        if (manifest.remembered().isEmpty()) {
            return Optional.empty();
        }
        register(manifest.remembered(), relation);
        return Optional.of(relation);
    }

    /**
     * Writes what a plan wants remembered, merged with the youngest files where that pays.
     *
     * @param manifest the state before
     * @param records relation with the new records
     * @param prefix start of names for relations
     * @param horizon what may be forgotten
     */
    public Outcome write(Manifest manifest, String records, String prefix, StateMerge.Horizon horizon) {
        long count = count(records);
        List<Manifest.StateFile> files = manifest.remembered();
        if (count == 0) {
            return new Outcome(files, manifest.greatestForgotten());
        }
        folder.create();
        int keep = files.size();
        long rows = count;
        while (keep > 0 && files.get(keep - 1).rowCount() <= SIZE_RATIO * rows) {
            rows += files.get(--keep).rowCount();
        }
        List<Manifest.StateFile> merged = files.subList(keep, files.size());
        List<String> parts = new ArrayList<>();
        String old = prefix + "merged_state";
        if (!merged.isEmpty()) {
            register(merged, old);
            parts.add("SELECT * FROM " + old);
        }
        String run = engine.dialect().name(PlanInputs.RUN);
        parts.add("SELECT *, " + merged.size() + " AS " + run + " FROM " + records);
        StateMerge merge = new StateMerge(spec, engine.dialect());
        boolean withOldest = keep == 0;
        Optional<List<String>> forgotten = withOldest
                ? greatest(manifest.greatestForgotten(), merge.greatestForgotten(parts, horizon))
                : manifest.greatestForgotten();
        List<Manifest.StateFile> result = new ArrayList<>(files.subList(0, keep));
        if (merged.isEmpty()) {
            result.addAll(write(merge.mergedRun(parts.get(0), withOldest, horizon)));
        } else {
            result.addAll(write(merge.merged(parts, withOldest, horizon)));
            engine.drop(old);
        }
        return new Outcome(result, forgotten);
    }

    private void register(List<Manifest.StateFile> files, String relation) {
        List<FileScan.DataFile> scanned = files.stream()
                .map(file -> new FileScan.DataFile(folder.path(file), file.sizeBytes(), Map.of(), RowPositions.NONE))
                .toList();
        engine.registerFiles(
                relation,
                new FileScan(
                        spec.stateSchema(),
                        FileScan.ColumnMapping.NONE,
                        List.of(),
                        scanned,
                        Optional.of(PlanInputs.RUN),
                        Optional.empty()));
    }

    private List<Manifest.StateFile> write(String sql) {
        List<String> keys = spec.stateSchema().fields().stream()
                .limit(spec.keys().size())
                .map(StructField::name)
                .toList();
        List<WrittenFile> written =
                engine.write(sql, new WriteSpec(folder.path(), "events", spec.stateSchema(), keys, Long.MAX_VALUE, 0));
        return written.stream()
                .map(file -> new Manifest.StateFile(file.name(), file.sizeBytes(), file.rowCount()))
                .toList();
    }

    /** The greater one of what was forgotten before and what is forgotten now; both are sequences of equal shape. */
    private Optional<List<String>> greatest(Optional<List<String>> before, String sql) {
        List<String> now = new ArrayList<>();
        engine.rows(sql).stream().limit(1).forEach(row -> row.forEach(value -> now.add((String) value)));
        return now.isEmpty() ? before : Optional.of(now);
    }

    private long count(String relation) {
        return engine.rows("SELECT count(*) AS n FROM " + relation).get(0).get(0) instanceof Number number
                ? number.longValue()
                : 0;
    }

    /**
     * The state's files after an update.
     *
     * @param files oldest first
     * @param greatestForgotten greatest sequence of a forgotten record
     */
    public record Outcome(List<Manifest.StateFile> files, Optional<List<String>> greatestForgotten) {}
}
