package io.tidemark.compile.work;

import io.tidemark.core.type.StructType;

/**
 * Applies a function to rows of an engine; the result is a relation of the engine. All that the JVM does with partitions
 * goes through here, so that another engine can do it where the rows are.
 */
@FunctionalInterface
public interface PartitionRunner {
    /**
     * Applies a function.
     *
     * @param what whose function it is, as the start of a message, for example {@code compileIn of task words}
     * @param inputSql engine SQL whose first column is a text; rows of one text stand together
     * @param outputRelation name of the relation that receives the result, in the order of the input
     * @param outputColumns its columns
     * @param function the function
     * @throws io.tidemark.core.error.TidemarkException what the function threw, or {@code COMPILE_FAILED} around it; the
     *     message names the group, the failures of other groups are carried along
     */
    void apply(String what, String inputSql, String outputRelation, StructType outputColumns, GroupFunction function);
}
