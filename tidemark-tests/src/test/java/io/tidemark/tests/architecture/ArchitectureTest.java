package io.tidemark.tests.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The arrows of {@code docs/ARCHITECTURE.md}, checked over the compiled modules. */
class ArchitectureTest {
    private static final String ROOT = "io.tidemark.";
    /** A module whose package lies in that of another one. */
    private static final String SPARK_ENGINE = "spark.engine";

    private static final String DELTA = "io.tidemark.delta..";
    private static final String KERNEL_ADAPTER = "io.tidemark.delta.kernel..";

    /** What each module may import beside itself; the module is the first name behind the root package. */
    private static final Map<String, Set<String>> ARROWS = Map.ofEntries(
            Map.entry("core", Set.of()),
            Map.entry("delta", Set.of("core")),
            Map.entry("files", Set.of("core")),
            Map.entry("duckdb", Set.of("core", "files")),
            Map.entry("spark.engine", Set.of("core", "files")),
            Map.entry("spark", Set.of("core", "delta", "sql", "pipeline", "spark.engine")),
            Map.entry("sql", Set.of("core", "delta")),
            Map.entry("pipeline", Set.of("core", "delta", "sql")),
            Map.entry("s3", Set.of("core", "delta")),
            Map.entry("hadoop", Set.of("core", "delta")),
            Map.entry("dbt", Set.of("core", "delta", "sql")),
            Map.entry("compile", Set.of("core", "delta")),
            Map.entry("app", Set.of("core", "delta", "duckdb", "sql", "pipeline", "s3", "hadoop", "dbt", "compile")),
            Map.entry("testkit", Set.of()));

    private static JavaClasses product = new ClassFileImporter().importClasses();

    @BeforeAll
    static void importClasses() {
        product = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("io.tidemark");
    }

    private static String module(JavaClass type) {
        if (type.getPackageName().startsWith(ROOT + SPARK_ENGINE)) {
            return SPARK_ENGINE;
        }
        return type.getPackageName().substring(ROOT.length()).split("\\.", 2)[0];
    }

    private static boolean isOurs(JavaClass type) {
        return type.getPackageName().startsWith(ROOT);
    }

    @Test
    void modulesImportOnlyWhatTheirArrowsAllow() {
        Set<String> forbidden = new TreeSet<>();
        Set<String> seen = new TreeSet<>();
        for (JavaClass type : product) {
            String from = module(type);
            seen.add(from);
            Set<String> allowed = ARROWS.getOrDefault(from, Set.of());
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                if (isOurs(target) && !module(target).equals(from) && !allowed.contains(module(target))) {
                    forbidden.add(from + " -> " + module(target) + ": " + dependency.getDescription());
                }
            }
        }
        assertThat(forbidden).isEmpty();
        assertThat(seen).contains("core", "delta", "duckdb", "sql");
        assertThat(ARROWS.keySet()).containsAll(seen);
    }

    @Test
    void onlyTheAdapterImportsDeltaKernel() {
        noClasses()
                .that()
                .resideOutsideOfPackage(KERNEL_ADAPTER)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.delta..")
                .check(product);
    }

    @Test
    void onlyOneModuleImportsTheClientOfObjectStores() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.tidemark.s3..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("software.amazon..")
                .check(product);
    }

    /** The committer is package-private, so that the compiler keeps others out; nobody else may spell log entries. */
    @Test
    void onlyDeltaWritesTheLog() {
        classes()
                .that()
                .resideInAPackage("io.tidemark.delta")
                .and(isNamed("Committer", "CommitLog"))
                .should()
                .bePackagePrivate()
                .check(product);
        noClasses()
                .that()
                .resideOutsideOfPackage(DELTA)
                .should()
                .dependOnClassesThat(resideInAPackage("io.tidemark.delta.log").and(isNamed("ActionJson")))
                .check(product);
    }

    private static DescribedPredicate<JavaClass> isNamed(String... names) {
        return describe("named " + List.of(names), type -> List.of(names).contains(type.getSimpleName()));
    }

    @Test
    void packagesAreFreeOfCycles() {
        slices().matching("io.tidemark.(**)").should().beFreeOfCycles().check(product);
    }

    /**
     * The hard part of the product stays testable by enumeration: no files, no clock, no threads. The mark that a value
     * may travel does no I/O.
     */
    @Test
    void coreIsPure() {
        noClasses()
                .that()
                .resideInAPackage("io.tidemark.core..")
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                                "java.io", "java.nio..", "java.net..", "java.sql..", "java.util.concurrent..")
                        .and(not(isNamed("Serializable"))))
                .orShould()
                .dependOnClassesThat(isNamed("Thread", "Clock", "Random"))
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .check(product);
    }

    /** Random numbers come from the testkit, whose seeds can be repeated; the command that runs cases has fixed seeds. */
    @Test
    void nobodyMakesRandomNumbersOfTheirOwn() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.tidemark.testkit..", "io.tidemark.app.conformance..")
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.util.Random")
                .orShould()
                .callMethod(Math.class, "random")
                .check(product);
    }

    @Test
    void onlyTheApplicationTalksToTheConsole() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.tidemark.app..")
                .and()
                // an application of Spark
                .doNotHaveFullyQualifiedName("io.tidemark.spark.Submit")
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .check(product);
    }

    /** The grammar package holds generated parsers. */
    @Test
    void publicFieldsAreConstants() {
        fields().that()
                .arePublic()
                .and()
                .areDeclaredInClassesThat()
                .resideOutsideOfPackage("io.tidemark.sql.grammar")
                .should()
                .beStatic()
                .andShould()
                .beFinal()
                .check(product);
    }

    /** Two independent answers are worth more than one: the oracle shares nothing with the product. */
    @Test
    void theOracleKnowsNothingOfTheProduct() {
        JavaClasses tests = new ClassFileImporter().importPackages("io.tidemark.tests.change");
        noClasses()
                .that()
                .haveNameMatching("io\\.tidemark\\.tests\\.change\\.Oracle(\\$.*)?")
                .should()
                .dependOnClassesThat(describe(
                        "of the product", type -> isOurs(type) && !module(type).equals("tests")))
                .check(tests);
    }
}
