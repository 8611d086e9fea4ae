package io.tidemark.sql.parse;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.grammar.StatementLexer;
import io.tidemark.sql.grammar.StatementParser.OptimizeStatementContext;
import io.tidemark.sql.grammar.StatementParser.RestoreStatementContext;
import io.tidemark.sql.grammar.StatementParser.VacuumStatementContext;
import io.tidemark.sql.grammar.StatementParser.WordsContext;
import io.tidemark.sql.grammar.StatementTokens;
import io.tidemark.sql.text.Literals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.tree.ParseTree;
import org.antlr.v4.runtime.tree.TerminalNode;
import org.jspecify.annotations.Nullable;

/** Reads OPTIMIZE, VACUUM and RESTORE. */
final class MaintenanceReader {
    private static final int DIGITS_MAX = 9;

    private final StatementTokens statement;
    private final Names names;
    private final TextLocation start;
    private List<Token> words = List.of();
    private int next;

    MaintenanceReader(StatementTokens statement, TextLocation start) {
        this.statement = statement;
        this.names = new Names(statement.text());
        this.start = start;
    }

    Maintenance optimize(OptimizeStatementContext optimize) {
        begin(optimize.words());
        if (next < words.size()) {
            throw unexpected("OPTIMIZE t or OPTIMIZE t WHERE …; files are sorted by the table's CLUSTER BY columns");
        }
        Optional<QueryText> where = Optional.ofNullable(optimize.expression())
                .map(condition -> statement.part(condition.getStart(), condition.getStop()));
        return new Maintenance.Optimize(names.table(optimize.name), where, start);
    }

    Maintenance vacuum(VacuumStatementContext vacuum) {
        String shape = "VACUUM t [RETAIN n HOURS] [DRY RUN]";
        begin(vacuum.words());
        Optional<Duration> retention = Optional.empty();
        if (takes("RETAIN")) {
            long hours = number(shape);
            if (!takes("HOURS") && !takes("HOUR")) {
                throw unexpected(shape);
            }
            retention = Optional.of(Duration.ofHours(hours));
        }
        boolean dryRun = takes("DRY");
        if ((dryRun && !takes("RUN")) || next < words.size()) {
            throw unexpected(shape);
        }
        return new Maintenance.Vacuum(names.table(vacuum.name), retention, dryRun, start);
    }

    Maintenance restore(RestoreStatementContext restore) {
        String shape = "RESTORE t TO VERSION AS OF n, or TO TIMESTAMP AS OF '…'";
        begin(restore.words());
        boolean byVersion = takes("VERSION");
        if ((!byVersion && !takes("TIMESTAMP")) || !takes("AS") || !takes("OF")) {
            throw unexpected(shape);
        }
        OptionalLong version = byVersion ? OptionalLong.of(number(shape)) : OptionalLong.empty();
        String time = byVersion ? "" : text(shape);
        if (next < words.size()) {
            throw unexpected(shape);
        }
        return new Maintenance.Restore(names.table(restore.name), version, time, start);
    }

    private void begin(@Nullable WordsContext context) {
        List<Token> tokens = new ArrayList<>();
        if (context != null) {
            for (ParseTree child : context.children) {
                tokens.add(((TerminalNode) child).getSymbol());
            }
        }
        words = tokens;
        next = 0;
    }

    private boolean takes(String word) {
        boolean is = next < words.size() && words.get(next).getText().equalsIgnoreCase(word);
        next += is ? 1 : 0;
        return is;
    }

    private long number(String shape) {
        boolean is = next < words.size()
                && words.get(next).getType() == StatementLexer.INTEGER
                && words.get(next).getText().length() <= DIGITS_MAX;
        if (!is) {
            throw unexpected(shape);
        }
        return Long.parseLong(words.get(next++).getText());
    }

    private String text(String shape) {
        boolean is = next < words.size() && words.get(next).getType() == StatementLexer.STRING;
        if (!is) {
            throw unexpected(shape);
        }
        return Literals.string(words.get(next++).getText());
    }

    private TidemarkException unexpected(String shape) {
        Token token = next < words.size()
                ? words.get(next)
                : statement.tokens().get(statement.tokens().size() - 1);
        String what = next < words.size() ? "unexpected " + token.getText() : "the statement ends too early";
        return TidemarkException.of(ErrorCode.SYNTAX_ERROR, what)
                .at(names.at(token))
                .hint("write " + shape)
                .build();
    }
}
