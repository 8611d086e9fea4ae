package io.tidemark.sql.parse;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.ColumnDefinition;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.core.flow.DatasetDefinition.TableClauses;
import io.tidemark.sql.grammar.StatementLexer;
import io.tidemark.sql.grammar.StatementParser.ColumnDefinitionsContext;
import io.tidemark.sql.grammar.StatementParser.PropertiesContext;
import io.tidemark.sql.grammar.StatementParser.PropertyContext;
import io.tidemark.sql.grammar.StatementParser.PropertyKeyContext;
import io.tidemark.sql.grammar.StatementParser.QueryContext;
import io.tidemark.sql.grammar.StatementParser.TableClauseContext;
import io.tidemark.sql.grammar.StatementParser.ViewClauseContext;
import io.tidemark.sql.grammar.StatementParser.ViewColumnsContext;
import io.tidemark.sql.grammar.StatementTokens;
import io.tidemark.sql.grammar.Words;
import io.tidemark.sql.text.Literals;
import io.tidemark.sql.text.LocatedText;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.Token;
import org.jspecify.annotations.Nullable;

/** Reads what tables and views are made of: columns, properties, comment, query. */
final class TableReader {
    private static final Set<Integer> QUERY_STARTS = Set.of(
            StatementLexer.SELECT,
            StatementLexer.WITH,
            StatementLexer.FROM,
            StatementLexer.VALUES,
            StatementLexer.TABLE,
            StatementLexer.LPAREN);

    private final StatementTokens statement;
    private final LocatedText text;
    private final Names names;
    private final List<TidemarkException> faults;

    TableReader(StatementTokens statement, List<TidemarkException> faults) {
        this.statement = statement;
        this.text = statement.text();
        this.names = new Names(text);
        this.faults = faults;
    }

    TableClauses clauses(@Nullable ColumnDefinitionsContext columns, List<TableClauseContext> clauses) {
        List<ColumnDefinition> declared =
                columns == null ? List.of() : new ColumnListReader(text, faults).read(columns.tableElement());
        Map<String, TextLocation> seen = new HashMap<>();
        Optional<String> comment = Optional.empty();
        Map<String, String> properties = Map.of();
        List<ColumnReference> clusterBy = List.of();
        List<ColumnReference> partitionBy = List.of();
        Map<String, TextLocation> places = Map.of();
        for (TableClauseContext clause : clauses) {
            once(clause.getStart().getText(), names.at(clause), seen);
            if (clause.COMMENT() != null) {
                comment = Optional.of(names.string(clause.STRING().getSymbol()));
            } else if (clause.TBLPROPERTIES() != null) {
                properties = properties(clause.properties());
                places = places(clause.properties());
            } else if (clause.PARTITIONED() != null) {
                partitionBy = names.columns(clause.names());
                checkColumns("PARTITIONED BY", declared, partitionBy);
            } else if (clause.AUTO() != null) {
                refuse(names.at(clause), "CLUSTER BY AUTO is not supported", "name the columns: CLUSTER BY (id)");
            } else if (clause.CLUSTER() != null) {
                clusterBy = names.columns(clause.names());
                checkColumns("CLUSTER BY", declared, clusterBy);
            }
        }
        return new TableClauses(declared, comment, properties, clusterBy, partitionBy, places);
    }

    /** The clauses of a table that flows write. */
    TableClauses flowClauses(@Nullable ColumnDefinitionsContext columns, List<TableClauseContext> clauses) {
        for (TableClauseContext clause : clauses) {
            if (clause.PARTITIONED() != null) {
                refuse(
                        names.at(clause),
                        "PARTITIONED BY is not supported for tables of pipelines",
                        "use CLUSTER BY, which sorts the files by the columns");
            }
        }
        return clauses(columns, clauses);
    }

    Optional<String> viewComment(List<ViewClauseContext> clauses) {
        Map<String, TextLocation> seen = new HashMap<>();
        Optional<String> comment = Optional.empty();
        for (ViewClauseContext clause : clauses) {
            once(clause.getStart().getText(), names.at(clause), seen);
            if (clause.COMMENT() != null) {
                comment = Optional.of(names.string(clause.STRING().getSymbol()));
            } else {
                refuse(names.at(clause), "TBLPROPERTIES is not supported here", "only tables have properties");
            }
        }
        return comment;
    }

    List<String> viewColumns(@Nullable ViewColumnsContext columns) {
        if (columns == null) {
            return List.of();
        }
        Map<String, TextLocation> seen = new HashMap<>();
        return columns.viewColumn().stream()
                .map(column -> {
                    String name = names.name(column.identifier());
                    distinct("column", name, names.at(column), seen);
                    return name;
                })
                .toList();
    }

    Map<String, String> properties(PropertiesContext context) {
        Map<String, String> properties = new LinkedHashMap<>();
        for (PropertyContext property : context.property()) {
            String key = propertyKey(property.propertyKey());
            ParserRuleContext value = property.propertyValue();
            Token first = value.getStart();
            String said = first.getType() == StatementLexer.STRING ? names.string(first) : value.getText();
            if (properties.put(key, said) != null) {
                faults.add(TidemarkException.of(ErrorCode.DUPLICATE_NAME, "the property " + key + " is set twice")
                        .at(names.at(property))
                        .hint("set each property once")
                        .build());
            }
        }
        return properties;
    }

    private Map<String, TextLocation> places(PropertiesContext context) {
        Map<String, TextLocation> places = new HashMap<>();
        context.property()
                .forEach(property -> places.putIfAbsent(propertyKey(property.propertyKey()), names.at(property)));
        return places;
    }

    String propertyKey(PropertyKeyContext context) {
        if (context.STRING() != null) {
            return names.string(context.STRING().getSymbol());
        }
        return context.identifier().stream().map(names::name).collect(Collectors.joining("."));
    }

    /** The text of a query, which must begin like one. */
    QueryText query(QueryContext context) {
        Token first = context.getStart();
        if (!QUERY_STARTS.contains(first.getType())) {
            String hint = Words.nearest(first.getText(), List.of("SELECT", "WITH", "VALUES"))
                    .map(word -> "did you mean " + word + "?")
                    .orElse("write SELECT ...");
            throw TidemarkException.of(
                            ErrorCode.QUERY_NOT_SELECT, "expected a query, found \"" + first.getText() + "\"")
                    .at(names.at(first))
                    .hint(hint)
                    .build();
        }
        return statement.part(first, context.getStop());
    }

    /** Notes a clause and complains of its second occurrence. */
    void once(String clause, TextLocation place, Map<String, TextLocation> seen) {
        TextLocation first = seen.putIfAbsent(Literals.fold(clause), place);
        if (first != null) {
            String name = clause.toUpperCase(Locale.ROOT);
            faults.add(TidemarkException.of(ErrorCode.DUPLICATE_CLAUSE, name + " stands twice in the statement")
                    .at(place)
                    .detail("It stands first at " + first + ".")
                    .hint("keep one of them")
                    .build());
        }
    }

    private void distinct(String kind, String name, TextLocation place, Map<String, TextLocation> seen) {
        if (seen.putIfAbsent(Literals.fold(name), place) != null) {
            faults.add(TidemarkException.of(ErrorCode.DUPLICATE_NAME, "the " + kind + " " + name + " is named twice")
                    .at(place)
                    .hint("names are compared without regard to case")
                    .build());
        }
    }

    /** Complains of names that a list holds twice. */
    void distinct(List<ColumnReference> columns) {
        Map<String, TextLocation> seen = new HashMap<>();
        for (ColumnReference column : columns) {
            distinct("column", column.name(), column.location(), seen);
        }
    }

    private void checkColumns(String clause, List<ColumnDefinition> declared, List<ColumnReference> columns) {
        distinct(columns);
        for (ColumnReference column : columns) {
            boolean known = declared.isEmpty()
                    || declared.stream().anyMatch(one -> one.name().equalsIgnoreCase(column.name()));
            if (!known) {
                faults.add(TidemarkException.of(
                                ErrorCode.UNKNOWN_COLUMN, clause + " names the unknown column " + column.name())
                        .at(column.location())
                        .hint("the table declares "
                                + declared.stream().map(ColumnDefinition::name).collect(Collectors.joining(", ")))
                        .build());
            }
        }
    }

    private void refuse(TextLocation place, String primary, String hint) {
        faults.add(TidemarkException.of(ErrorCode.UNSUPPORTED_FEATURE, primary)
                .at(place)
                .hint(hint)
                .build());
    }
}
