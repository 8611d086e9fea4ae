package io.tidemark.sql.parse;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.DatasetDefinition;
import io.tidemark.core.flow.FlowDefinition;
import io.tidemark.core.flow.FlowDefinition.AppendFlow;
import io.tidemark.core.flow.PipelineDefinition;
import io.tidemark.core.flow.TableName;
import io.tidemark.sql.grammar.SettingNames;
import io.tidemark.sql.grammar.StatementParser.ApplyChangesContext;
import io.tidemark.sql.grammar.StatementParser.AutoCdcFlowContext;
import io.tidemark.sql.grammar.StatementParser.CreateFlowContext;
import io.tidemark.sql.grammar.StatementParser.CreateMaterializedViewContext;
import io.tidemark.sql.grammar.StatementParser.CreateObjectContext;
import io.tidemark.sql.grammar.StatementParser.CreateStatementContext;
import io.tidemark.sql.grammar.StatementParser.CreateStreamingTableContext;
import io.tidemark.sql.grammar.StatementParser.CreateTableContext;
import io.tidemark.sql.grammar.StatementParser.CreateTemporaryViewContext;
import io.tidemark.sql.grammar.StatementParser.CreateViewContext;
import io.tidemark.sql.grammar.StatementParser.InsertFlowContext;
import io.tidemark.sql.grammar.StatementParser.SetStatementContext;
import io.tidemark.sql.grammar.StatementParser.StatementContext;
import io.tidemark.sql.grammar.StatementParser.StreamingTableBodyContext;
import io.tidemark.sql.grammar.StatementTokens;
import io.tidemark.sql.grammar.StatementTrees;
import io.tidemark.sql.text.Literals;
import io.tidemark.sql.text.LocatedText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Collects the definitions of a pipeline, statement by statement, and every fault on the way. */
final class PipelineReader {
    private final List<DatasetDefinition> datasets = new ArrayList<>();
    private final List<FlowDefinition> flows = new ArrayList<>();
    private final Map<String, String> settings = new LinkedHashMap<>();
    private final Map<TableName, TextLocation> datasetPlaces = new HashMap<>();
    private final Map<String, TextLocation> flowPlaces = new HashMap<>();
    private final List<TidemarkException> errors = new ArrayList<>();

    void readFile(LocatedText text) {
        List<TidemarkException> faults = new ArrayList<>();
        try {
            StatementTokens.split(text).forEach(statement -> readStatement(statement, faults));
        } catch (TidemarkException fault) {
            faults.add(fault);
        }
        faults.sort(Comparator.comparingInt(PipelineReader::line).thenComparingInt(PipelineReader::column));
        faults.forEach(fault -> errors.add(text.explain(fault)));
    }

    ParseResult result() {
        return new ParseResult(new PipelineDefinition(datasets, flows, settings), errors);
    }

    private static int line(TidemarkException fault) {
        return fault.location().map(TextLocation::line).orElse(Integer.MAX_VALUE);
    }

    private static int column(TidemarkException fault) {
        return fault.location().map(TextLocation::column).orElse(Integer.MAX_VALUE);
    }

    private void readStatement(StatementTokens statement, List<TidemarkException> faults) {
        try {
            StatementContext tree = StatementTrees.statement(statement);
            Reading reading = new Reading(statement, faults);
            if (tree.createStatement() != null) {
                reading.create(tree.createStatement());
            } else if (tree.applyChanges() != null) {
                reading.applyChanges(tree.applyChanges());
            } else if (tree.setStatement() != null) {
                reading.set(tree.setStatement());
            } else {
                String verb = tree.getStart().getText().toUpperCase(Locale.ROOT);
                throw TidemarkException.of(ErrorCode.UNSUPPORTED_STATEMENT, verb + " is not a statement of pipelines")
                        .at(reading.start())
                        .hint("a pipeline file holds CREATE STREAMING TABLE, CREATE MATERIALIZED VIEW, CREATE VIEW,"
                                + " CREATE FLOW and SET; other statements run in the session")
                        .build();
            }
        } catch (TidemarkException fault) {
            faults.add(fault);
        }
    }

    /** Reads one statement. */
    private final class Reading {
        private final StatementTokens statement;
        private final Names names;
        private final TableReader tables;
        private final List<TidemarkException> faults;

        Reading(StatementTokens statement, List<TidemarkException> faults) {
            this.statement = statement;
            this.names = new Names(statement.text());
            this.tables = new TableReader(statement, faults);
            this.faults = faults;
        }

        TextLocation start() {
            return names.at(statement.tokens().get(0));
        }

        void create(CreateStatementContext create) {
            CreateObjectContext object = create.createObject();
            if (object instanceof CreateStreamingTableContext table) {
                CreatePrefix.check(create, names, CreatePrefix.REFRESH);
                streamingTable(table);
            } else if (object instanceof CreateMaterializedViewContext view) {
                CreatePrefix.check(create, names, CreatePrefix.REFRESH, CreatePrefix.REPLACE);
                QueryText query = tables.query(view.query());
                addDataset(
                        new DatasetDefinition.MaterializedView(
                                names.table(view.name),
                                tables.flowClauses(view.columnDefinitions(), view.tableClause()),
                                query,
                                start()),
                        names.at(view.name));
            } else if (object instanceof CreateTemporaryViewContext || object instanceof CreateViewContext) {
                CreatePrefix.check(create, names, CreatePrefix.REPLACE);
                addDataset(new ViewReader(names, tables).read(object, start()), ViewReader.place(object, names));
            } else if (object instanceof CreateFlowContext flow) {
                CreatePrefix.check(create, names);
                flow(flow);
            } else if (object instanceof CreateTableContext table) {
                throw TidemarkException.of(
                                ErrorCode.UNSUPPORTED_STATEMENT, "CREATE TABLE is not a statement of pipelines")
                        .at(names.at(table))
                        .hint("write CREATE STREAMING TABLE or CREATE MATERIALIZED VIEW")
                        .build();
            }
        }

        private void streamingTable(CreateStreamingTableContext table) {
            TableName name = names.table(table.name);
            DatasetDefinition.TableClauses clauses = tables.flowClauses(table.columnDefinitions(), table.tableClause());
            addDataset(new DatasetDefinition.StreamingTable(name, clauses, start()), names.at(table.name));
            StreamingTableBodyContext body = table.streamingTableBody();
            if (body == null) {
                return;
            }
            TextLocation place = names.at(body);
            if (body.query() != null) {
                QueryText query = tables.query(body.query());
                addFlow(
                        new AppendFlow(name.toString(), name, false, true, query, Optional.empty(), place),
                        names.at(table.name));
            } else {
                var heading =
                        new FlowReader.Heading(name.toString(), name, body.ONCE() != null, Optional.empty(), place);
                new FlowReader(statement, faults)
                        .read(heading, body.source(), body.cdcClause())
                        .ifPresent(flow -> addFlow(flow, names.at(table.name)));
            }
        }

        private void flow(CreateFlowContext create) {
            String name = names.flow(create.name);
            Optional<String> comment = tables.viewComment(create.viewClause());
            if (create.flowBody() instanceof InsertFlowContext insert) {
                if (insert.names() != null) {
                    throw TidemarkException.of(
                                    ErrorCode.UNSUPPORTED_FEATURE, "a flow's INSERT INTO takes no column list")
                            .at(names.at(insert.names()))
                            .hint("write INSERT INTO table BY NAME SELECT ... and name the columns in the query")
                            .build();
                }
                addFlow(
                        new AppendFlow(
                                name,
                                names.table(insert.target),
                                !insert.ONCE().isEmpty(),
                                insert.NAME() != null,
                                tables.query(insert.query()),
                                comment,
                                start()),
                        names.at(create.name));
            } else if (create.flowBody() instanceof AutoCdcFlowContext cdc) {
                var heading =
                        new FlowReader.Heading(name, names.table(cdc.target), cdc.ONCE() != null, comment, start());
                new FlowReader(statement, faults)
                        .read(heading, cdc.source(), cdc.cdcClause())
                        .ifPresent(flow -> addFlow(flow, names.at(create.name)));
            }
        }

        void applyChanges(ApplyChangesContext apply) {
            TableName target = names.table(apply.target);
            var heading =
                    new FlowReader.Heading(target.toString(), target, apply.ONCE() != null, Optional.empty(), start());
            new FlowReader(statement, faults)
                    .read(heading, apply.source(), apply.cdcClause())
                    .ifPresent(flow -> addFlow(flow, names.at(apply.target)));
        }

        void set(SetStatementContext set) {
            if (set.settingKey() == null || set.settingValue() == null) {
                throw TidemarkException.of(ErrorCode.SYNTAX_ERROR, "SET needs a name and a value")
                        .at(start())
                        .hint("write SET name = value")
                        .build();
            }
            SettingReader reader = new SettingReader(statement);
            String name = reader.key(set.settingKey());
            try {
                SettingNames.check(name, SettingNames.OF_PIPELINES);
            } catch (TidemarkException e) {
                throw e.at(start());
            }
            settings.put(name, reader.value(set.settingValue()));
        }

        private void addDataset(DatasetDefinition dataset, TextLocation place) {
            TextLocation first = datasetPlaces.putIfAbsent(dataset.name(), place);
            if (first == null) {
                datasets.add(dataset);
            } else {
                faults.add(duplicate("table or view " + dataset.name(), place, first));
            }
        }

        private void addFlow(FlowDefinition flow, TextLocation place) {
            TextLocation first = flowPlaces.putIfAbsent(Literals.fold(flow.name()), place);
            if (first == null) {
                flows.add(flow);
            } else {
                faults.add(duplicate("flow " + flow.name(), place, first));
            }
        }

        private TidemarkException duplicate(String what, TextLocation place, TextLocation first) {
            return TidemarkException.of(ErrorCode.DUPLICATE_NAME, "the " + what + " is defined twice")
                    .at(place)
                    .detail("It is first defined at " + first + ".")
                    .hint("give each its own name; names are compared without regard to case")
                    .build();
        }
    }
}
