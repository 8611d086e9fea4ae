package io.tidemark.spark.session;

import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.parser.ParameterContext;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.command.ExternalCommandExecutor;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Map$;
import scala.collection.immutable.Seq;

/** Takes Tidemark's statements out of what a session of Spark is given; everything else goes on as before. */
public final class StatementParser implements ParserInterface {
    private final SparkSession session;
    private final ParserInterface rest;

    /**
     * A parser before another one.
     *
     * @param session the session whose statements are parsed
     * @param rest Spark's parser, or that of another extension
     */
    public StatementParser(SparkSession session, ParserInterface rest) {
        this.session = session;
        this.rest = rest;
    }

    /** What executes a statement, if it is ours. */
    private Optional<LogicalPlan> own(String sql) {
        StatementText text = new StatementText(sql);
        Optional<CatalogSettings> catalog = CatalogSettings.of(session);
        boolean isOwn = text.isOfPipeline()
                || catalog.map(each -> text.isAboutTableOf(each.name())).orElse(false);
        if (!isOwn) {
            return Optional.empty();
        }
        // Nothing runs before Spark executes the plan, which may only be looked at.
        return Optional.of(
                new ExternalCommandExecutor(new StatementCommand(session), sql, Map$.MODULE$.<String, String>empty()));
    }

    private String respelled(String sql) {
        return TableChanges.respelled(
                sql, CatalogSettings.of(session).map(CatalogSettings::name).orElse(""));
    }

    @Override
    public LogicalPlan parsePlan(String sql) throws ParseException {
        Optional<LogicalPlan> own = own(sql);
        return own.isPresent() ? own.get() : rest.parsePlan(respelled(sql));
    }

    @Override
    public LogicalPlan parsePlanWithParameters(String sql, ParameterContext parameters) throws ParseException {
        Optional<LogicalPlan> own = own(sql);
        return own.isPresent() ? own.get() : rest.parsePlanWithParameters(respelled(sql), parameters);
    }

    @Override
    public LogicalPlan parseQuery(String sql) throws ParseException {
        return rest.parseQuery(respelled(sql));
    }

    @Override
    public Expression parseExpression(String sql) throws ParseException {
        return rest.parseExpression(sql);
    }

    @Override
    public TableIdentifier parseTableIdentifier(String sql) throws ParseException {
        return rest.parseTableIdentifier(sql);
    }

    @Override
    public FunctionIdentifier parseFunctionIdentifier(String sql) throws ParseException {
        return rest.parseFunctionIdentifier(sql);
    }

    @Override
    public Seq<String> parseMultipartIdentifier(String sql) throws ParseException {
        return rest.parseMultipartIdentifier(sql);
    }

    @Override
    public StructType parseRoutineParam(String sql) throws ParseException {
        return rest.parseRoutineParam(sql);
    }

    @Override
    public StructType parseTableSchema(String sql) throws ParseException {
        return rest.parseTableSchema(sql);
    }

    @Override
    public DataType parseDataType(String sql) throws ParseException {
        return rest.parseDataType(sql);
    }
}
