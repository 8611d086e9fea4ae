package io.tidemark.dbt.project;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.jinja.Callable;
import io.tidemark.dbt.jinja.Templates;
import io.tidemark.dbt.jinja.Templates.Template;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What all templates of a project see: variables, the environment, the target, and a few macros of dbt's packages. */
final class TemplateScope {
    /** What dbt_utils puts for NULL in a key. */
    private static final String NULL_IN_KEY = "_dbt_utils_surrogate_key_null_";

    private final Map<String, @Nullable Object> projectVariables;
    private final Map<String, String> environment;
    private final Optional<Target> target;
    private final String projectName;
    private final List<Template> macros;

    TemplateScope(
            Map<String, @Nullable Object> projectVariables,
            Map<String, String> environment,
            Optional<Target> target,
            String projectName,
            List<Template> macros) {
        this.projectVariables = projectVariables;
        this.environment = environment;
        this.target = target;
        this.projectName = projectName;
        this.macros = List.copyOf(macros);
    }

    /** The scope of files that are no SQL. */
    Templates.Scope plain() {
        return with(Map.of(), Map.of());
    }

    /** The scope with more variables and functions. */
    Templates.Scope with(Map<String, @Nullable Object> variables, Map<String, Callable> functions) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("project_name", projectName);
        all.put("execute", true);
        all.put("var", Map.<String, @Nullable Object>of("has_var", (Callable)
                arguments -> projectVariables.containsKey(text(arguments, 0, "name"))));
        all.put(
                "exceptions",
                Map.<String, @Nullable Object>of(
                        "raise_compiler_error", (Callable) TemplateScope::raise, "warn", (Callable) arguments -> ""));
        target.ifPresent(chosen -> {
            all.put("target", chosen.variables());
            all.put("schema", chosen.schema());
            all.put("database", chosen.database());
            all.put("dbt_utils", dbtUtils(chosen));
            all.put("dbt", dbtMacros(chosen));
        });
        all.putAll(variables);
        Map<String, Callable> callable = new LinkedHashMap<>();
        callable.put("var", this::variable);
        callable.put("env_var", this::environmentVariable);
        callable.put("log", arguments -> "");
        callable.put("return", arguments -> arguments.get(0, "data").orElse(""));
        target.ifPresent(chosen -> {
            callable.put("generate_schema_name", arguments -> schemaName(chosen, arguments));
            callable.put(
                    "generate_database_name",
                    arguments -> arguments.get(0, "custom_database_name").orElse(chosen.database()));
        });
        callable.putAll(functions);
        return new Templates.Scope(all, callable, macros);
    }

    /** The schema of a node by dbt's own rule. */
    private static Object schemaName(Target target, Callable.Arguments arguments) {
        return arguments
                .get(0, "custom_schema_name")
                .map(custom -> target.schema() + "_" + custom.toString().strip())
                .orElse(target.schema());
    }

    private @Nullable Object variable(Callable.Arguments arguments) {
        String name = text(arguments, 0, "name");
        if (projectVariables.containsKey(name)) {
            return projectVariables.get(name);
        }
        if (arguments.has(1, "default")) {
            return arguments.get(1, "default").orElse(null);
        }
        throw TidemarkException.of(ErrorCode.TEMPLATE_FAILED, "the variable " + name + " has no value")
                .hint("give it one in vars of dbt_project.yml, with --vars, or as var('" + name + "', default)")
                .build();
    }

    private Object environmentVariable(Callable.Arguments arguments) {
        String name = text(arguments, 0, "var");
        String value = environment.get(name);
        if (value != null) {
            return value;
        }
        return arguments
                .get(1, "default")
                .orElseThrow(() -> TidemarkException.of(
                                ErrorCode.TEMPLATE_FAILED, "the environment variable " + name + " is not set")
                        .hint("set it, or write env_var('" + name + "', 'default')")
                        .build());
    }

    private static Object raise(Callable.Arguments arguments) {
        throw TidemarkException.of(ErrorCode.TEMPLATE_FAILED, "the project says: " + text(arguments, 0, "msg"))
                .build();
    }

    private static String text(Callable.Arguments arguments, int index, String name) {
        return arguments
                .get(index, name)
                .map(Object::toString)
                .orElseThrow(() -> TidemarkException.of(ErrorCode.TEMPLATE_FAILED, "a call lacks its argument " + name)
                        .build());
    }

    private static Map<String, @Nullable Object> dbtUtils(Target target) {
        Map<String, @Nullable Object> macros = new LinkedHashMap<>();
        macros.put("generate_surrogate_key", (Callable) arguments -> surrogateKey(target, arguments, NULL_IN_KEY));
        macros.put("surrogate_key", (Callable) arguments -> surrogateKey(target, arguments, ""));
        return macros;
    }

    private static Object surrogateKey(Target target, Callable.Arguments arguments, String nullText) {
        Object given = arguments.get(0, "field_list").orElse(List.of());
        List<String> fields = new ArrayList<>();
        if (given instanceof List<?> list) {
            list.forEach(field -> fields.add(String.valueOf(field)));
        }
        if (fields.isEmpty()) {
            throw TidemarkException.of(ErrorCode.TEMPLATE_FAILED, "a surrogate key needs a list of columns")
                    .hint("dbt_utils.generate_surrogate_key(['a', 'b'])")
                    .build();
        }
        String type = textType(target);
        List<String> parts = fields.stream()
                .map(field -> "coalesce(cast(" + field + " as " + type + "), '" + nullText + "')")
                .toList();
        String joined = target.adapter() == Target.Adapter.SPARK
                ? "concat(" + String.join(", '-', ", parts) + ")"
                : String.join(" || '-' || ", parts);
        return "md5(cast(" + joined + " as " + type + "))";
    }

    private static Map<String, @Nullable Object> dbtMacros(Target target) {
        Map<String, @Nullable Object> macros = new LinkedHashMap<>();
        macros.put("type_string", (Callable) arguments -> textType(target));
        macros.put("type_int", (Callable) arguments -> "int");
        macros.put("type_bigint", (Callable) arguments -> "bigint");
        macros.put("type_timestamp", (Callable) arguments -> "timestamp");
        macros.put("type_boolean", (Callable) arguments -> "boolean");
        macros.put("concat", (Callable) arguments -> {
            Object fields = arguments.get(0, "fields").orElse(List.of());
            return fields instanceof List<?> list
                    ? list.stream().map(String::valueOf).collect(Collectors.joining(" || "))
                    : String.valueOf(fields);
        });
        return macros;
    }

    private static String textType(Target target) {
        return target.adapter() == Target.Adapter.SPARK ? "string" : "TEXT";
    }
}
