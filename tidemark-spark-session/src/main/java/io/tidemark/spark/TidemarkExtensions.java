package io.tidemark.spark;

import io.tidemark.spark.session.StatementParser;
import io.tidemark.spark.session.TableChanges;
import org.apache.spark.sql.SparkSessionExtensions;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Makes Tidemark's statements work in {@code spark.sql}, beside Spark's own and those of other extensions:
 *
 * <pre>{@code
 * spark.sql.extensions          io.tidemark.spark.TidemarkExtensions
 * spark.sql.catalog.tidemark    io.tidemark.spark.TidemarkCatalog
 * spark.sql.catalog.tidemark.warehouse  /path/of/the/warehouse
 * }</pre>
 *
 * <p>Then {@code SELECT … FROM tidemark.default.orders} reads a table of the warehouse, INSERT, UPDATE, DELETE, MERGE and
 * statements about tables whose name begins with the catalog's are executed by Tidemark, {@code CREATE STREAMING TABLE},
 * {@code CREATE FLOW} and {@code CREATE MATERIALIZED VIEW} define the session's pipeline, and {@code REFRESH STREAMING
 * TABLE x}, {@code REFRESH MATERIALIZED VIEW x} or {@code REFRESH PIPELINE} update it.
 */
public final class TidemarkExtensions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
    /** Called by Spark. */
    public TidemarkExtensions() {}

    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        extensions.injectParser(StatementParser::new);
        extensions.injectTableFunction(TableChanges.function());
        return BoxedUnit.UNIT;
    }
}
