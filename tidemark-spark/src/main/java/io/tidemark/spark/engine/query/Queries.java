package io.tidemark.spark.engine.query;

import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.engine.QueryShape;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.engine.RelationResolver;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.spark.engine.failure.Failures;
import io.tidemark.spark.engine.value.SparkTypes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.classic.SparkSession;

/** Checks queries, and puts the relations of the engine in place of the names of tables and views. */
public final class Queries {
    private static final Pattern TABLE_WORD = Pattern.compile("(?is).*(?<![\\w`])table\\s*");
    private static final Pattern SAMPLE = Pattern.compile("(?is)\\s*tablesample\\b.*");

    private final SparkSession session;

    /** Works for one session, in which the relations are temporary views. */
    public Queries(SparkSession session) {
        this.session = session;
    }

    /** The tables and views that a query reads. */
    public Set<List<String>> relationsOf(QueryText query) {
        Map<String, List<String>> relations = new TreeMap<>();
        for (RelationUses.Use use :
                RelationUses.of(QueryTree.parse(session, query).plan())) {
            List<String> parts = QueryTree.parts(use.relation());
            relations.putIfAbsent(String.join("\u0000", parts).toLowerCase(Locale.ROOT), parts);
        }
        return new LinkedHashSet<>(relations.values());
    }

    /** Which relations a query reads and where it combines rows. */
    public QueryShape shapeOf(QueryText query) {
        return new ShapeReader(session, QueryTree.parse(session, query)).read();
    }

    /** A part of a text and what takes its place. */
    private record Edit(int from, int to, String replacement) {}

    /** A query that reads the relations which the resolver names. */
    public PreparedQuery prepare(QueryText query, RelationResolver resolver) {
        QueryTree tree = QueryTree.parse(session, query);
        Map<List<String>, String> relations = new HashMap<>();
        List<Edit> edits = new ArrayList<>();
        for (RelationUses.Use use : RelationUses.of(tree.plan())) {
            List<String> parts = QueryTree.parts(use.relation());
            int from = tree.start(use.relation());
            int to = tree.end(use.relation());
            String relation =
                    relations.computeIfAbsent(parts, names -> resolver.resolve(names, QueryTree.place(query, from)));
            String name = quoted(relation);
            if (!use.hasAlias() && mayHaveAlias(query.sql(), from, to)) {
                name += " AS " + quoted(parts.get(parts.size() - 1));
            }
            edits.add(new Edit(from, to, name));
        }
        edits.sort(Comparator.comparingInt(Edit::from));
        String sql = edited(query.sql(), edits);
        try {
            return new PreparedQuery(sql, SparkTypes.schema(session.sql(sql).schema()));
        } catch (TidemarkException e) {
            throw e.at(query.location());
        } catch (Exception e) {
            throw explained(e, query, sql, edits);
        }
    }

    /** TABLE x takes no alias, and the one of a sample stands behind it. */
    private static boolean mayHaveAlias(String sql, int from, int to) {
        return !TABLE_WORD.matcher(sql.substring(0, from)).matches()
                && !SAMPLE.matcher(sql.substring(to)).matches();
    }

    private static String edited(String sql, List<Edit> edits) {
        StringBuilder result = new StringBuilder();
        int done = 0;
        for (Edit edit : edits) {
            result.append(sql, done, edit.from()).append(edit.replacement());
            done = edit.to();
        }
        return result.append(sql, done, sql.length()).toString();
    }

    private static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    /** The offset in the user's text of a character of the edited one. */
    private static int original(int offset, List<Edit> edits) {
        int shift = 0;
        for (Edit edit : edits) {
            int begin = edit.from() + shift;
            if (offset < begin) {
                break;
            }
            int end = begin + edit.replacement().length();
            if (offset < end) {
                return edit.from();
            }
            shift += edit.replacement().length() - (edit.to() - edit.from());
        }
        return offset - shift;
    }

    private static TidemarkException explained(Exception failure, QueryText query, String sql, List<Edit> edits) {
        if (!(failure instanceof AnalysisException analysis)) {
            return Failures.translate(failure).at(query.location());
        }
        int offset = 0;
        if (analysis.line().isDefined() && analysis.startPosition().isDefined()) {
            int line = ((Number) analysis.line().get()).intValue();
            int column = ((Number) analysis.startPosition().get()).intValue();
            offset = original(QueryTree.offset(sql, line, column), edits);
        }
        String condition = analysis.getCondition() == null ? "" : analysis.getCondition();
        Map<String, String> facts = analysis.getMessageParameters();
        String name = plain(facts.getOrDefault("objectName", facts.getOrDefault("routineName", "")));
        TidemarkException.Builder error;
        if (condition.startsWith("UNRESOLVED_COLUMN") || condition.equals("FIELD_NOT_FOUND")) {
            String whole = name.isEmpty() ? plain(facts.getOrDefault("fieldName", "")) : name;
            String column = whole.substring(whole.lastIndexOf('.') + 1);
            if (column.equalsIgnoreCase("DEFAULT")) {
                return TidemarkException.of(
                                ErrorCode.UNSUPPORTED_FEATURE,
                                "the word DEFAULT is not supported: columns have no default values here")
                        .at(QueryTree.place(query, offset))
                        .cause(failure)
                        .build();
            }
            // Spark points to the qualifier, if there is one.
            offset = Math.max(
                    offset, query.sql().toLowerCase(Locale.ROOT).indexOf(column.toLowerCase(Locale.ROOT), offset));
            error = TidemarkException.of(ErrorCode.UNKNOWN_COLUMN, "column " + column + " does not exist");
            String proposal = Stream.of(
                            plain(facts.getOrDefault("proposal", "")).split(", "))
                    .filter(each -> !each.substring(each.lastIndexOf('.') + 1).startsWith("__"))
                    .collect(Collectors.joining(", "));
            if (!proposal.isEmpty()) {
                error.hint("did you mean " + proposal + "?");
            }
        } else if (condition.startsWith("UNRESOLVED_ROUTINE")) {
            error = TidemarkException.of(ErrorCode.UNKNOWN_FUNCTION, "there is no function " + name);
        } else if (condition.equals("TABLE_OR_VIEW_NOT_FOUND")) {
            error = TidemarkException.of(
                    ErrorCode.UNKNOWN_TABLE,
                    "there is no table or view " + plain(facts.getOrDefault("relationName", "")));
        } else {
            error = TidemarkException.of(ErrorCode.QUERY_INVALID, Failures.primary(analysis));
        }
        return error.at(QueryTree.place(query, offset)).cause(failure).build();
    }

    private static String plain(String names) {
        return names.replace("`", "");
    }
}
