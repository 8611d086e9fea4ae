package io.tidemark.tests.change;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.core.flow.ColumnSelection;
import io.tidemark.core.flow.ScdType;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Random histories: many small ones share a flow, since the case number is part of the key. Sequences come from a small
 * range, so that late events, ties and replays are common.
 */
record Histories(Setup setup, List<List<Oracle.Event>> batches) {
    /** Value columns of the source. */
    static final List<String> COLUMNS = List.of("a", "b", "c");

    private static final @Nullable String[] DOMAIN = {"p", "q", null};

    /** How events author columns. */
    enum Partial {
        NONE,
        IGNORE_NULLS,
        COLUMNS_TO_UPDATE
    }

    /**
     * What a flow looks like.
     *
     * @param tracked tracked columns
     * @param sequenceInTarget whether the target holds the sequence column
     * @param structSequence whether the sequence is a STRUCT of two numbers
     * @param truncates whether truncate events occur
     */
    record Setup(
            ScdType type,
            Partial partial,
            List<String> tracked,
            boolean sequenceInTarget,
            boolean structSequence,
            boolean truncates) {
        AutoCdcFlow flow() {
            List<String> out = new ArrayList<>(List.of("op", "sys", "upd"));
            if (!sequenceInTarget) {
                out.add("seq");
            }
            return new AutoCdcFlow(
                    "f",
                    TableName.of("t"),
                    false,
                    text("SELECT * FROM s"),
                    List.of(ColumnReference.of("k")),
                    partial == Partial.IGNORE_NULLS ? Optional.of(ColumnSelection.all()) : Optional.empty(),
                    Optional.of(text("op = 'D'")),
                    truncates ? Optional.of(text("op = 'T'")) : Optional.empty(),
                    text(structSequence ? "named_struct('hi', seq div 4, 'lo', seq % 4)" : "seq"),
                    type == ScdType.BITEMPORAL ? Optional.of(text("sys")) : Optional.empty(),
                    Optional.of(ColumnSelection.except(out.toArray(String[]::new))),
                    type,
                    type == ScdType.SCD1 || tracked.size() == COLUMNS.size()
                            ? Optional.empty()
                            : Optional.of(ColumnSelection.include(tracked.toArray(String[]::new))),
                    partial == Partial.COLUMNS_TO_UPDATE ? Optional.of(ColumnReference.of("upd")) : Optional.empty(),
                    Optional.empty(),
                    TextLocation.NONE,
                    Map.of());
        }

        private static QueryText text(String sql) {
            return new QueryText(sql, TextLocation.NONE);
        }

        static StructType source() {
            List<StructField> fields = new ArrayList<>();
            fields.add(StructField.of("op", ScalarType.STRING));
            fields.add(StructField.of("k", ScalarType.STRING));
            COLUMNS.forEach(column -> fields.add(StructField.of(column, ScalarType.STRING)));
            fields.add(StructField.of("seq", ScalarType.LONG));
            fields.add(StructField.of("sys", ScalarType.LONG));
            fields.add(StructField.of("upd", new ArrayType(ScalarType.STRING, true)));
            return new StructType(fields);
        }

        Oracle oracle() {
            List<String> columns = new ArrayList<>(COLUMNS);
            List<String> compared = new ArrayList<>(tracked);
            if (sequenceInTarget) {
                columns.add("seq");
                if (tracked.size() == COLUMNS.size()) {
                    compared.add("seq");
                }
            }
            return new Oracle(columns, compared);
        }
    }

    /** Makes histories for a setup. */
    static Histories random(Random random, Setup setup, int keys, int eventsPerKeyMax) {
        List<Oracle.Event> events = new ArrayList<>();
        for (int key = 0; key < keys; key++) {
            int count = 1 + random.nextInt(eventsPerKeyMax);
            int range = 1 + random.nextInt(12);
            for (int i = 0; i < count; i++) {
                events.add(event(random, setup, "k" + key, range));
            }
        }
        if (setup.truncates()) {
            for (int i = random.nextInt(3); i > 0; i--) {
                long at = 1L + random.nextInt(10);
                events.add(new Oracle.Event("", at, at, Oracle.Kind.TRUNCATE, Map.of()));
            }
        }
        Collections.shuffle(events, random);
        for (int i = events.size() / 10; i > 0; i--) {
            events.add(events.get(random.nextInt(events.size())));
        }
        List<List<Oracle.Event>> batches = new ArrayList<>();
        int splits = 1 + random.nextInt(5);
        int from = 0;
        for (int i = 1; i <= splits; i++) {
            int to = i == splits ? events.size() : from + random.nextInt(events.size() - from + 1);
            batches.add(List.copyOf(events.subList(from, to)));
            from = to;
        }
        return new Histories(setup, batches);
    }

    private static Oracle.Event event(Random random, Setup setup, String key, int range) {
        long sequence = 1L + random.nextInt(range);
        long system = 1L + random.nextInt(range);
        Oracle.Kind kind = random.nextInt(4) == 0 ? Oracle.Kind.DELETE : Oracle.Kind.UPSERT;
        Map<String, @Nullable Object> authored = new LinkedHashMap<>();
        if (kind == Oracle.Kind.UPSERT) {
            for (String column : COLUMNS) {
                String value = DOMAIN[random.nextInt(DOMAIN.length)];
                boolean authors = switch (setup.partial()) {
                    case NONE -> true;
                    case IGNORE_NULLS -> value != null;
                    case COLUMNS_TO_UPDATE -> random.nextInt(3) > 0;
                };
                if (authors) {
                    authored.put(column, value);
                }
            }
            if (setup.sequenceInTarget()) {
                authored.put("seq", sequence);
            }
        }
        return new Oracle.Event(key, sequence, system, kind, authored);
    }

    /** A batch as engine SQL with the source's columns, rows in order. */
    static String sql(List<Oracle.Event> batch, Dialect dialect) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (Oracle.Event event : batch) {
            List<@Nullable Object> row = new ArrayList<>();
            row.add(
                    switch (event.kind()) {
                        case UPSERT -> "U";
                        case DELETE -> "D";
                        case TRUNCATE -> "T";
                    });
            row.add(event.kind() == Oracle.Kind.TRUNCATE ? null : event.key());
            COLUMNS.forEach(column -> row.add(event.authored().get(column)));
            row.add(event.sequence());
            row.add(event.system());
            row.add(List.copyOf(event.authored().keySet()));
            rows.add(row);
        }
        return RowsSql.select(Setup.source(), rows, dialect);
    }

    /** What the target must hold after all batches, as text rows. */
    List<String> expected(int batchesDone) {
        List<Oracle.Event> arrived = new ArrayList<>();
        batches.subList(0, batchesDone).forEach(arrived::addAll);
        return expected(setup, arrived);
    }

    /** What the target must hold after the given events, as sorted text rows. */
    static List<String> expected(Setup setup, List<Oracle.Event> arrived) {
        Oracle oracle = setup.oracle();
        List<Oracle.Version> versions = switch (setup.type()) {
            case SCD1 -> oracle.typeOne(arrived);
            case SCD2 -> oracle.typeTwo(arrived);
            case BITEMPORAL -> oracle.bitemporal(arrived);
        };
        return versions.stream().map(version -> text(setup, version)).sorted().toList();
    }

    private static String text(Setup setup, Oracle.Version version) {
        List<String> parts = new ArrayList<>();
        parts.add(version.key());
        Map<String, @Nullable Object> values = new HashMap<>(version.values());
        COLUMNS.forEach(column -> parts.add(String.valueOf(values.get(column))));
        if (setup.sequenceInTarget()) {
            parts.add(String.valueOf(values.get("seq")));
        }
        if (setup.type() != ScdType.SCD1) {
            parts.add(sequenceText(setup, version.start()));
            parts.add(sequenceText(setup, version.end()));
        }
        if (setup.type() == ScdType.BITEMPORAL) {
            parts.add(String.valueOf(version.systemStart()));
            parts.add(String.valueOf(version.systemEnd()));
        }
        return String.join("|", parts);
    }

    private static String sequenceText(Setup setup, @Nullable Long sequence) {
        if (sequence == null || !setup.structSequence()) {
            return String.valueOf(sequence);
        }
        Map<String, Object> struct = new LinkedHashMap<>();
        struct.put("hi", sequence / 4);
        struct.put("lo", sequence % 4);
        return struct.toString();
    }
}
