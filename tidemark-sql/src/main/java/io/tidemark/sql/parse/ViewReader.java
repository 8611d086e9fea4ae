package io.tidemark.sql.parse;

import io.tidemark.core.error.TextLocation;
import io.tidemark.core.flow.DatasetDefinition;
import io.tidemark.sql.grammar.StatementParser.CreateObjectContext;
import io.tidemark.sql.grammar.StatementParser.CreateTemporaryViewContext;
import io.tidemark.sql.grammar.StatementParser.CreateViewContext;

/** Reads views. */
final class ViewReader {
    private final Names names;
    private final TableReader tables;

    ViewReader(Names names, TableReader tables) {
        this.names = names;
        this.tables = tables;
    }

    DatasetDefinition.View read(CreateObjectContext object, TextLocation location) {
        if (object instanceof CreateTemporaryViewContext view) {
            return new DatasetDefinition.View(
                    names.table(view.name),
                    true,
                    tables.viewColumns(view.viewColumns()),
                    tables.viewComment(view.viewClause()),
                    tables.query(view.query()),
                    location);
        }
        CreateViewContext view = (CreateViewContext) object;
        return new DatasetDefinition.View(
                names.table(view.name),
                false,
                tables.viewColumns(view.viewColumns()),
                tables.viewComment(view.viewClause()),
                tables.query(view.query()),
                location);
    }

    static TextLocation place(CreateObjectContext object, Names names) {
        return object instanceof CreateTemporaryViewContext view
                ? names.at(view.name)
                : names.at(((CreateViewContext) object).name);
    }
}
