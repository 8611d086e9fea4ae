package io.tidemark.sql.parse;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.core.flow.DatasetDefinition.TableClauses;
import io.tidemark.core.flow.DatasetDefinition.View;
import io.tidemark.core.flow.TableName;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** A statement that the session executes. */
public interface SessionStatement {
    /** Where the statement begins. */
    TextLocation location();

    /** Calls the handler's method for this kind of statement. */
    <T> T handle(Handler<T> handler);

    /**
     * What is done with each kind of statement.
     *
     * @param <T> what comes of it
     */
    interface Handler<T> {
        /** A query. */
        T query(Query statement);

        /** {@code INSERT INTO}. */
        T insert(Insert statement);

        /** {@code UPDATE}. */
        T update(Update statement);

        /** {@code DELETE}. */
        T delete(Delete statement);

        /** {@code MERGE}. */
        T merge(Merge statement);

        /** {@code TRUNCATE TABLE}. */
        T truncate(Truncate statement);

        /** {@code OPTIMIZE}, {@code VACUUM} and {@code RESTORE}. */
        T maintain(Maintenance statement);

        /** {@code CREATE TABLE}. */
        T createTable(CreateTable statement);

        /** {@code CREATE VIEW}. */
        T createView(CreateView statement);

        /** {@code DROP VIEW}. */
        T dropView(DropView statement);

        /** {@code DROP TABLE}. */
        T dropTable(DropTable statement);

        /** {@code ALTER TABLE … ADD} or {@code ALTER COLUMN}, {@code COMMENT ON TABLE}. */
        T alterTable(AlterTable statement);

        /** {@code ALTER TABLE … SET} or {@code UNSET TBLPROPERTIES}. */
        T alterProperties(AlterProperties statement);

        /** {@code SHOW …}. */
        T show(Show statement);

        /** {@code DESCRIBE …}. */
        T describe(Describe statement);

        /** {@code SET}. */
        T set(ChangeSetting statement);
    }

    /**
     * A query.
     *
     * @param query its text
     * @param location where it begins
     */
    record Query(QueryText query, TextLocation location) implements SessionStatement {
        @Override
        public <T> T handle(Handler<T> handler) {
            return handler.query(this);
        }
    }

    /**
     * {@code INSERT {INTO | OVERWRITE} target [(columns)] [BY NAME] query}.
     *
     * @param target the table
     * @param columns the columns that the query's columns go to; empty = all
     * @param byName whether the query's columns go to those of their names
     * @param overwrite whether the rows take the place of all that are there
     * @param query the rows
     * @param location where it begins
     */
    record Insert(
            TableName target,
            List<ColumnReference> columns,
            boolean byName,
            boolean overwrite,
            QueryText query,
            TextLocation location)
            implements SessionStatement {
        /** Copies the list. */
        public Insert {
            columns = List.copyOf(columns);
        }

        @Override
        public <T> T handle(Handler<T> handler) {
            return handler.insert(this);
        }
    }

    /**
     * {@code UPDATE target [AS alias] SET column = value, … [WHERE condition]}.
     *
     * @param target the table
     * @param assignments the columns that change
     * @param where which rows change; all if absent
     * @param location where it begins
     */
    record Update(
            TargetTable target, List<ColumnAssignment> assignments, Optional<QueryText> where, TextLocation location)
            implements SessionStatement {
        /** Copies the list. */
        public Update {
            assignments = List.copyOf(assignments);
        }

        @Override
        public <T> T handle(Handler<T> handler) {
            return handler.update(this);
        }
    }

    /**
     * {@code DELETE FROM target [AS alias] [WHERE condition]}.
     *
     * @param target the table
     * @param where which rows go; all if absent
     * @param location where it begins
     */
    record Delete(TargetTable target, Optional<QueryText> where, TextLocation location) implements SessionStatement {
        @Override
        public <T> T handle(Handler<T> handler) {
            return handler.delete(this);
        }
    }

    /**
     * {@code MERGE INTO target [AS alias] USING source ON condition WHEN …}.
     *
     * @param target the table
     * @param source what stands behind USING, with its alias, as it may stand behind FROM
     * @param sourceAlias the name by which expressions call the source, if it has one
     * @param on which source row belongs to which target row
     * @param clauses what becomes of the rows; the first that fits counts
     * @param location where it begins
     */
    record Merge(
            TargetTable target,
            QueryText source,
            Optional<String> sourceAlias,
            QueryText on,
            List<MergeClause> clauses,
            TextLocation location)
            implements SessionStatement {
        /** Copies the list. */
        public Merge {
            clauses = List.copyOf(clauses);
        }

        @Override
        public <T> T handle(Handler<T> handler) {
            return handler.merge(this);
        }
    }

    /**
     * {@code TRUNCATE TABLE name}.
     *
     * @param name the table
     * @param location where it begins
     */
    record Truncate(TableName name, TextLocation location) implements SessionStatement {
        @Override
        public <T> T handle(Handler<T> handler) {
            return handler.truncate(this);
        }
    }

    /**
     * {@code DROP TABLE [IF EXISTS] name}.
     *
     * @param name the table
     * @param ifExists whether a missing table is no error
     * @param location where it begins
     */
    record DropTable(TableName name, boolean ifExists, TextLocation location) implements SessionStatement {
        @Override
        public <T> T handle(Handler<T> handler) {
            return handler.dropTable(this);
        }
    }

    /**
     * {@code ALTER TABLE name ADD COLUMN …}, {@code ALTER COLUMN …} or {@code COMMENT ON TABLE name IS …}.
     *
     * @param name the table
     * @param change what changes
     * @param location where it begins
     */
    record AlterTable(TableName name, TableChange change, TextLocation location) implements SessionStatement {
        @Override
        public <T> T handle(Handler<T> handler) {
            return handler.alterTable(this);
        }
    }

    /**
     * {@code CREATE [OR REPLACE] TABLE [IF NOT EXISTS] name … [AS query]} and {@code REPLACE TABLE name …}.
     *
     * @param name the table
     * @param existing what becomes of a table that is there
     * @param table what stands behind the name
     * @param query the rows that the table begins with
     * @param location where it begins
     */
    record CreateTable(
            TableName name, Existing existing, TableClauses table, Optional<QueryText> query, TextLocation location)
            implements SessionStatement {
        /** What becomes of a table that is there. */
        public enum Existing {
            /** It is an error. */
            REFUSED,
            /** It stays as it is. */
            KEPT,
            /** It gets this definition and these rows. */
            REPLACED,
            /** As {@link #REPLACED}, and it is an error if there is none. */
            REQUIRED;

            /** Whether the definition and the rows take the place of others. */
            public boolean isReplaced() {
                return this == REPLACED || this == REQUIRED;
            }
        }

        @Override
        public <T> T handle(Handler<T> handler) {
            return handler.createTable(this);
        }
    }

    /**
     * {@code CREATE [OR REPLACE] VIEW [IF NOT EXISTS] …}.
     *
     * @param view the view
     * @param replace whether an existing view is replaced
     * @param ifNotExists whether an existing view is no error
     */
    record CreateView(View view, boolean replace, boolean ifNotExists) implements SessionStatement {
        @Override
        public TextLocation location() {
            return view.location();
        }

        @Override
        public <T> T handle(Handler<T> handler) {
            return handler.createView(this);
        }
    }

    /**
     * {@code DROP VIEW [IF EXISTS] name}.
     *
     * @param name the view
     * @param ifExists whether a missing view is no error
     * @param location where it begins
     */
    record DropView(TableName name, boolean ifExists, TextLocation location) implements SessionStatement {
        @Override
        public <T> T handle(Handler<T> handler) {
            return handler.dropView(this);
        }
    }

    /**
     * {@code ALTER TABLE name SET TBLPROPERTIES (…)} or {@code UNSET TBLPROPERTIES [IF EXISTS] (…)}.
     *
     * @param name the table
     * @param set properties to set
     * @param unset properties to take away
     * @param ifExists whether a property to take away may be missing
     * @param location where it begins
     */
    record AlterProperties(
            TableName name, Map<String, String> set, List<String> unset, boolean ifExists, TextLocation location)
            implements SessionStatement {
        /** Copies the collections. */
        public AlterProperties {
            set = Map.copyOf(set);
            unset = List.copyOf(unset);
        }

        @Override
        public <T> T handle(Handler<T> handler) {
            return handler.alterProperties(this);
        }
    }

    /**
     * {@code SHOW …}.
     *
     * @param subject what is shown
     * @param schema the schema of SHOW TABLES and SHOW VIEWS
     * @param name the table of SHOW TBLPROPERTIES and SHOW COLUMNS
     * @param location where it begins
     */
    record Show(Subject subject, Optional<String> schema, Optional<TableName> name, TextLocation location)
            implements SessionStatement {
        /** What can be shown. */
        public enum Subject {
            TABLES,
            VIEWS,
            SCHEMAS,
            PROPERTIES,
            COLUMNS
        }

        @Override
        public <T> T handle(Handler<T> handler) {
            return handler.show(this);
        }
    }

    /**
     * {@code DESCRIBE …}.
     *
     * @param aspect what is told
     * @param name the table or view
     * @param limit how many lines of history
     * @param location where it begins
     */
    record Describe(Aspect aspect, TableName name, OptionalInt limit, TextLocation location)
            implements SessionStatement {
        /** What can be told. */
        public enum Aspect {
            COLUMNS,
            EXTENDED,
            HISTORY,
            DETAIL
        }

        @Override
        public <T> T handle(Handler<T> handler) {
            return handler.describe(this);
        }
    }

    /**
     * {@code SET [name [= value]]}.
     *
     * @param name the setting; all if absent
     * @param value the new value; shown if absent
     * @param location where it begins
     */
    record ChangeSetting(Optional<String> name, Optional<String> value, TextLocation location)
            implements SessionStatement {
        @Override
        public <T> T handle(Handler<T> handler) {
            return handler.set(this);
        }
    }
}
