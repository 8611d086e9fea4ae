package io.tidemark.duckdb.sql;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tidemark.core.engine.QueryShape;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.engine.RelationResolver;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.duckdb.session.Failures;
import io.tidemark.duckdb.session.Session;
import io.tidemark.duckdb.session.Spelling;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;

/** Checks and translates queries. */
public final class QueryTranslator {
    /** Nested expressions need a round per level; real queries need two or three. */
    private static final int ROUNDS_MAX = 64;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Session session;
    private final DecimalFunctions decimals;
    private final Map<String, String> emptyCopies = new HashMap<>();
    private long stubs;

    /** Translates for one engine, in which {@link SparkFunctions} are registered. */
    public QueryTranslator(Session session) {
        this.session = session;
        this.decimals = new DecimalFunctions(session);
    }

    /** The tables and views that a query reads. */
    public Set<List<String>> relationsOf(QueryText query) {
        Positions positions = new Positions(query);
        Respelling.Result respelled = Respelling.of(query.sql(), positions);
        Map<String, List<String>> relations = new TreeMap<>();
        write(parse(respelled, positions), positions, respelled, new TypeProbes(), (parts, offset) -> {
            relations.putIfAbsent(String.join("\u0000", parts).toLowerCase(Locale.ROOT), List.copyOf(parts));
            return "relation";
        });
        return new LinkedHashSet<>(relations.values());
    }

    /** Which relations a query reads and where it combines rows. */
    public QueryShape shapeOf(QueryText query) {
        Positions positions = new Positions(query);
        Respelling.Result respelled = Respelling.of(query.sql(), positions);
        JsonNode tree = parse(respelled, positions);
        QueryContext context =
                new QueryContext(positions, respelled, decimals, new TypeProbes(), (parts, offset) -> "relation");
        // Writing it is what refuses queries that are not allowed.
        new SelectWriter(context).write(tree);
        return new ShapeReader(context).read(tree);
    }

    private String write(
            JsonNode tree,
            Positions positions,
            Respelling.Result respelled,
            TypeProbes probes,
            BiFunction<List<String>, Integer, String> tables) {
        return new SelectWriter(new QueryContext(positions, respelled, decimals, probes, tables)).write(tree);
    }

    /** A query in DuckDB's SQL that reads the relations which the resolver names. */
    public String translate(QueryText query, RelationResolver resolver) {
        Positions positions = new Positions(query);
        Respelling.Result respelled = Respelling.of(query.sql(), positions);
        JsonNode tree = parse(respelled, positions);
        Map<List<String>, String> relations = new HashMap<>();
        TypeProbes probes = new TypeProbes();
        BiFunction<List<String>, Integer, String> tables = (parts, offset) -> {
            String relation = relations.computeIfAbsent(
                    List.copyOf(parts), names -> resolver.resolve(names, positions.at(offset)));
            return emptyCopies.computeIfAbsent(relation, this::emptyCopy);
        };
        Bound bound = learn(tree, positions, respelled, probes, tables);
        if (probes.isAsked()) {
            probes.stop();
            String checked = write(tree, positions, respelled, probes, tables);
            bound = new Bound(checked, bind(checked, positions));
        }
        new ImplicitCasts(positions).check(bound.sql(), bound.plan());
        probes.stop();
        return write(
                tree,
                positions,
                respelled,
                probes,
                (parts, offset) -> Spelling.name(relations.getOrDefault(List.copyOf(parts), "")));
    }

    /** Forgets what was kept of a relation, which is about to go or to change. */
    public void forget(String relation) {
        for (Iterator<Map.Entry<String, String>> copies = emptyCopies.entrySet().iterator(); copies.hasNext(); ) {
            Map.Entry<String, String> copy = copies.next();
            if (copy.getKey().equalsIgnoreCase(relation)) {
                copies.remove();
                session.execute("DROP TABLE IF EXISTS " + copy.getValue());
            }
        }
    }

    private record Bound(String sql, JsonNode plan) {}

    /**
     * Binding against empty tables with the right columns is cheap, whatever stands behind the relations. A copy is kept as
     * long as its relation: the expressions of a flow are bound one by one.
     */
    private String emptyCopy(String relation) {
        String table = "helpers.empty_" + stubs++;
        session.execute("CREATE TABLE " + table + " AS SELECT * FROM " + Spelling.name(relation) + " LIMIT 0");
        return table;
    }

    private Bound learn(
            JsonNode tree,
            Positions positions,
            Respelling.Result respelled,
            TypeProbes probes,
            BiFunction<List<String>, Integer, String> tables) {
        for (int round = 0; round < ROUNDS_MAX; round++) {
            String sql = write(tree, positions, respelled, probes, tables);
            JsonNode plan = bind(sql, positions);
            if (!probes.learn(plan)) {
                return new Bound(sql, plan);
            }
        }
        throw TidemarkException.of(ErrorCode.UNSUPPORTED_FEATURE, "the types of the query's expressions cannot be told")
                .hint("If an alias bears the name of a column, choose another alias.")
                .at(positions.at(0))
                .build();
    }

    private JsonNode parse(Respelling.Result respelled, Positions positions) {
        JsonNode result = ask("SELECT json_serialize_sql(" + Spelling.string(respelled.sql()) + ")");
        if (result.path("error").asBoolean()) {
            String message = result.path("error_message").asText();
            if (result.path("error_type").asText().equals("not implemented")) {
                throw positions
                        .error(ErrorCode.QUERY_NOT_SELECT, "a query must be one SELECT", 0)
                        .build();
            }
            int offset = CharacterOffsets.of(result.path("position").asInt(0), respelled.sql());
            throw positions
                    .error(ErrorCode.QUERY_INVALID, message, respelled.original(offset))
                    .hint("if a word there is the name of a table or column, write it in backticks")
                    .build();
        }
        JsonNode statements = result.path("statements");
        if (statements.size() != 1) {
            throw positions
                    .error(ErrorCode.QUERY_NOT_SELECT, "a query must be one SELECT", 0)
                    .build();
        }
        CharacterOffsets.replace(statements, respelled.sql());
        return statements.path(0).path("node");
    }

    private JsonNode bind(String sql, Positions positions) {
        JsonNode result = ask("SELECT json_serialize_plan(" + Spelling.string(sql) + ", optimize := false)");
        if (result.path("error").asBoolean()) {
            throw new BinderErrors(positions)
                    .translate(result.path("error_message").asText());
        }
        CharacterOffsets.replace(result, sql);
        return result;
    }

    private JsonNode ask(String sql) {
        try {
            return JSON.readTree(String.valueOf(session.rowsRaw(sql).get(0).get(0)));
        } catch (SQLException e) {
            throw session.failures().translate(e);
        } catch (StreamConstraintsException e) {
            throw TidemarkException.of(ErrorCode.QUERY_INVALID, "the query is nested too deeply")
                    .hint("name parts of it as views or in WITH")
                    .cause(e)
                    .build();
        } catch (JsonProcessingException e) {
            throw TidemarkException.of(ErrorCode.INTERNAL, "the parser's answer is no JSON")
                    .detail(Failures.message(e))
                    .cause(e)
                    .build();
        }
    }
}
