package io.tidemark.core.flow;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.TextLocation;
import java.util.Optional;

/** One query with one destination table. */
public sealed interface FlowDefinition permits FlowDefinition.AppendFlow, AutoCdcFlow {
    /** The flow's name; a flow without a name of its own bears its target's. */
    String name();

    /** The table that it writes. */
    TableName target();

    /** Whether it runs once until a full refresh. */
    boolean once();

    /** The query that it reads; for change flows everything behind FROM as a SELECT. */
    QueryText query();

    /** Where the definition begins. */
    TextLocation location();

    /**
     * A flow that appends ({@code INSERT INTO}, or the {@code AS query} of a streaming table).
     *
     * @param name the flow's name
     * @param target the table
     * @param once whether it runs once
     * @param byName whether columns are matched by name instead of by position
     * @param query the query
     * @param comment the comment
     * @param location where the definition begins
     */
    record AppendFlow(
            String name,
            TableName target,
            boolean once,
            boolean byName,
            QueryText query,
            Optional<String> comment,
            TextLocation location)
            implements FlowDefinition {}
}
