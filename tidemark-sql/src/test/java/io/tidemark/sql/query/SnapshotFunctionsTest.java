package io.tidemark.sql.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import org.junit.jupiter.api.Test;

class SnapshotFunctionsTest {
    private static final TextLocation PLACE = new TextLocation("p.sql", 7, 3);

    @Test
    void callsBecomeConstantsAndTheRestKeepsItsPlace() {
        assertThat(current("SELECT current_snapshot_version() AS v, a FROM t", "5"))
                .isEqualTo("SELECT 5" + " ".repeat("current_snapshot_version()".length() - 1) + " AS v, a FROM t");
        assertThat(current("SELECT a FROM t WHERE v = Current_Snapshot_Version ( )", "'x'"))
                .isEqualTo("SELECT a FROM t WHERE v = 'x'" + " ".repeat("Current_Snapshot_Version ( )".length() - 3));
        String longer = "CAST('2026-01-01 00:00:00+00:00' AS TIMESTAMP)";
        assertThat(current("SELECT current_snapshot_version()", longer)).isEqualTo("SELECT " + longer);
        assertThat(SnapshotFunctions.withLast(text("SELECT last_snapshot_version() + 1"), "NULL")
                        .location())
                .isEqualTo(PLACE);
    }

    @Test
    void textsNamesAndCommentsAreNoCalls() {
        String query = "SELECT 'current_snapshot_version()', `current_snapshot_version`, x.current_snapshot_version(),"
                + " current_snapshot_version(1) -- current_snapshot_version()\n FROM current_snapshot_version";
        assertThat(current(query, "5")).isEqualTo(query);
    }

    @Test
    void aTableIsReadAtTheVersion() {
        assertThat(current("SELECT * FROM t VERSION AS OF current_snapshot_version()", "CAST('12' AS BIGINT)")
                        .strip())
                .isEqualTo("SELECT * FROM t VERSION AS OF 12");
        assertThat(SnapshotFunctions.withoutCurrent(
                                text("SELECT * FROM t VERSION AS OF\ncurrent_snapshot_version() WHERE a"), "NULL")
                        .sql()
                        .replaceAll(" +", " "))
                .isEqualTo("SELECT * FROM t \n WHERE a");
    }

    @Test
    void eachQueryKnowsOneFunction() {
        TidemarkException error = catchThrowableOfType(
                TidemarkException.class, () -> current("SELECT a,\n last_snapshot_version()", "5"));
        assertThat(error.code()).isEqualTo(ErrorCode.UNKNOWN_FUNCTION);
        assertThat(error.location()).contains(new TextLocation("p.sql", 8, 2));
        TidemarkException other = catchThrowableOfType(
                TidemarkException.class,
                () -> SnapshotFunctions.withLast(text("SELECT current_snapshot_version()"), "5"));
        assertThat(other.code()).isEqualTo(ErrorCode.UNKNOWN_FUNCTION);
        assertThat(other.location()).contains(new TextLocation("p.sql", 7, 10));
    }

    @Test
    void queriesThatAskForTheTimeMayChangeByThemselves() {
        assertThat(SnapshotFunctions.mayChangeByItself(text("SELECT a FROM t WHERE b < 5")))
                .isFalse();
        assertThat(SnapshotFunctions.mayChangeByItself(text("SELECT a FROM t WHERE b < Current_Timestamp")))
                .isTrue();
        assertThat(SnapshotFunctions.mayChangeByItself(text("SELECT a, current_snapshot_version() FROM t")))
                .isTrue();
        assertThat(SnapshotFunctions.mayChangeByItself(text("SELECT 'now' FROM t")))
                .isFalse();
    }

    private static String current(String query, String literal) {
        return SnapshotFunctions.withCurrent(text(query), literal).sql();
    }

    private static QueryText text(String sql) {
        return new QueryText(sql, PLACE);
    }
}
