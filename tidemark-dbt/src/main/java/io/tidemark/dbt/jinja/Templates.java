package io.tidemark.dbt.jinja;

import com.hubspot.jinjava.Jinjava;
import com.hubspot.jinjava.JinjavaConfig;
import com.hubspot.jinjava.LegacyOverrides;
import com.hubspot.jinjava.el.ext.AbstractCallableMethod;
import com.hubspot.jinjava.interpret.Context;
import com.hubspot.jinjava.interpret.JinjavaInterpreter;
import com.hubspot.jinjava.interpret.TemplateError;
import com.hubspot.jinjava.interpret.UnknownTokenException;
import com.hubspot.jinjava.lib.filter.Filter;
import com.hubspot.jinjava.lib.fn.MacroFunction;
import com.hubspot.jinjava.objects.SafeString;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Renders templates. What a template uses and nobody gives it is an error with its place; nothing is left out silently.
 * Used by one thread.
 */
public final class Templates {
    private static final int RECURSION_MAX = 50;
    private static final String TRUE_TEXT = "true";
    /** How the library says that a name such as {@code dbt_utils} has no function of that name. */
    private static final Pattern NO_METHOD =
            Pattern.compile("Cannot find method (\\w+) with \\d+ parameters? in class \\S+");

    private final Jinjava jinjava;

    /** A renderer. */
    public Templates() {
        LegacyOverrides python = LegacyOverrides.newBuilder()
                .withKeepNullableLoopValues(true)
                .withUseNaturalOperatorPrecedence(true)
                .withParseWhitespaceControlStrictly(true)
                .withIterateOverMapKeys(true)
                .build();
        this.jinjava = new Jinjava(JinjavaConfig.newBuilder()
                .withFailOnUnknownTokens(true)
                .withNestedInterpretationEnabled(false)
                .withKeepTrailingNewline(true)
                .withEnableRecursiveMacroCalls(true)
                .withMaxMacroRecursionDepth(RECURSION_MAX)
                .withLegacyOverrides(python)
                .build());
        for (String name : List.of("as_text", "as_native", "as_number")) {
            jinjava.getGlobalContext().registerFilter(new Identity(name));
        }
        jinjava.getGlobalContext().registerFilter(new AsBool());
    }

    /**
     * A template.
     *
     * @param text the text
     * @param file the file's name for errors
     * @param firstLine the line of the file at which the text begins, from 1
     */
    public record Template(String text, String file, int firstLine) {}

    /**
     * What templates see.
     *
     * @param variables values by name: strings, numbers, booleans, lists, maps; a {@link Callable} inside of a map is a
     *     function of that name, as {@code dbt_utils.star}
     * @param functions functions by name
     * @param macros files with macros, which templates may call by name
     */
    public record Scope(
            Map<String, @Nullable Object> variables, Map<String, Callable> functions, List<Template> macros) {}

    /** Renders a template. */
    public String render(Template template, Scope scope) {
        return open(scope).render(template);
    }

    /** Whether a macro file defines a macro. */
    public boolean defines(Scope scope, String macro) {
        return open(scope).interpreter.getContext().getGlobalMacro(macro) != null;
    }

    /** Calls a macro and returns what it renders, without white space around it. */
    public String call(String macro, List<@Nullable Object> arguments, Scope scope, TextLocation location) {
        Map<String, @Nullable Object> variables = new LinkedHashMap<>(scope.variables());
        List<String> names = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            variables.put("tidemark_argument_" + i, arguments.get(i));
            names.add("tidemark_argument_" + i);
        }
        String text = "{{ " + macro + "(" + String.join(", ", names) + ") }}";
        Scope wider = new Scope(variables, scope.functions(), scope.macros());
        return open(wider)
                .render(new Template(text, location.file(), Math.max(1, location.line())))
                .strip();
    }

    private Open open(Scope scope) {
        Open open = new Open(jinjava.newInterpreter());
        Context context = open.interpreter.getContext();
        context.put("True", true);
        context.put("False", false);
        context.put("None", null);
        scope.variables().forEach((name, value) -> context.put(name, open.exposed(name, value)));
        scope.functions().forEach((name, function) -> context.addGlobalMacro(new Function(name, function, open)));
        // Files of macros see each other and the functions; what they print is dropped.
        scope.macros().forEach(open::render);
        return open;
    }

    /** An interpreter with its scope. */
    private static final class Open {
        private final JinjavaInterpreter interpreter;
        private final AtomicReference<@Nullable TidemarkException> thrown = new AtomicReference<>();
        private Template current = new Template("", "", 1);

        Open(JinjavaInterpreter interpreter) {
            this.interpreter = interpreter;
        }

        private @Nullable Object exposed(String name, @Nullable Object value) {
            if (value instanceof Callable callable) {
                return new Method(name, callable, this);
            }
            if (value instanceof Map<?, ?> map && map.values().stream().anyMatch(Callable.class::isInstance)) {
                Map<String, @Nullable Object> exposed = new LinkedHashMap<>();
                map.forEach((key, each) -> exposed.put(String.valueOf(key), exposed(name + "." + key, each)));
                return exposed;
            }
            return value;
        }

        String render(Template template) {
            current = template;
            try (var pushed =
                    JinjavaInterpreter.closeablePushCurrent(interpreter).get()) {
                String rendered = pushed.value().render(Preprocessor.withoutTrailingCommas(template.text()));
                TidemarkException own = thrown.get();
                List<TemplateError> errors = interpreter.getErrorsCopy();
                if (own != null) {
                    int line = errors.isEmpty() ? 1 : errors.get(0).getLineno();
                    throw own.at(place(template, line));
                }
                if (!errors.isEmpty()) {
                    throw failed(
                            template, errors.get(0).getLineno(), errors.get(0).getMessage());
                }
                return rendered;
            } catch (UnknownTokenException e) {
                TidemarkException own = thrown.get();
                if (own != null) {
                    throw own.at(place(template, e.getLineNumber()));
                }
                throw failed(template, e.getLineNumber(), e.getToken() + " is not known");
            }
        }

        @Nullable
        Object called(Callable function, Map<String, @Nullable Object> named, List<@Nullable Object> positional) {
            try {
                return function.call(new Callable.Arguments(
                        plain(positional), plain(named), place(current, interpreter.getLineNumber())));
            } catch (TidemarkException e) {
                // The library would wrap it; the first one is what went wrong.
                thrown.compareAndSet(null, e);
                throw e;
            }
        }
    }

    private static TextLocation place(Template template, int line) {
        return new TextLocation(template.file(), template.firstLine() + Math.max(1, line) - 1, 1);
    }

    private static TidemarkException failed(Template template, int line, @Nullable String message) {
        String text = NO_METHOD
                .matcher(String.valueOf(message).replace("\n", " "))
                .replaceFirst("there is no $1 in what it is called on");
        return TidemarkException.of(ErrorCode.TEMPLATE_FAILED, "the template cannot be rendered: " + text)
                .at(place(template, line))
                .hint("only ref, source, config, var, env_var, target, this, macros of the project and the key macros"
                        + " of dbt_utils are there; queries of templates (run_query, adapter) are not supported")
                .build();
    }

    private static List<@Nullable Object> plain(List<@Nullable Object> values) {
        List<@Nullable Object> plain = new ArrayList<>();
        values.forEach(value -> plain.add(plainValue(value)));
        return plain;
    }

    private static Map<String, @Nullable Object> plain(Map<String, @Nullable Object> values) {
        Map<String, @Nullable Object> plain = new LinkedHashMap<>();
        values.forEach((name, value) -> plain.put(name, plainValue(value)));
        return plain;
    }

    /** The library has collections of its own, which must not outlive the template. */
    private static @Nullable Object plainValue(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            Map<String, @Nullable Object> plain = new LinkedHashMap<>();
            map.forEach((key, each) -> plain.put(String.valueOf(key), plainValue(each)));
            return plain;
        }
        if (value instanceof List<?> list) {
            List<@Nullable Object> plain = new ArrayList<>();
            list.forEach(each -> plain.add(plainValue(each)));
            return plain;
        }
        return value instanceof SafeString safe ? safe.getValue() : value;
    }

    private static final class Function extends MacroFunction {
        private final Callable function;
        private final Open open;

        Function(String name, Callable function, Open open) {
            super(new ArrayList<>(), name, new LinkedHashMap<>(), false, open.interpreter.getContext(), 0, 0);
            this.function = function;
            this.open = open;
        }

        @Override
        public @Nullable Object doEvaluate(
                Map<String, Object> arguments, Map<String, Object> named, List<Object> positional) {
            return open.called(function, new LinkedHashMap<>(named), new ArrayList<>(positional));
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    private static final class Method extends AbstractCallableMethod {
        private final Callable function;
        private final Open open;

        Method(String name, Callable function, Open open) {
            super(name, new LinkedHashMap<>());
            this.function = function;
            this.open = open;
        }

        @Override
        public @Nullable Object doEvaluate(
                Map<String, Object> arguments, Map<String, Object> named, List<Object> positional) {
            return open.called(function, new LinkedHashMap<>(named), new ArrayList<>(positional));
        }
    }

    /** Says of a value what it is meant to be; the reader of the file decides. */
    private record Identity(String name) implements Filter {
        @Override
        public @Nullable Object filter(@Nullable Object value, JinjavaInterpreter interpreter, String... arguments) {
            return value;
        }

        @Override
        public String getName() {
            return name;
        }
    }

    private static final class AsBool implements Filter {
        @Override
        public Object filter(@Nullable Object value, JinjavaInterpreter interpreter, String... arguments) {
            return value instanceof Boolean flag
                    ? flag
                    : String.valueOf(value).strip().toLowerCase(Locale.ROOT).equals(TRUE_TEXT);
        }

        @Override
        public String getName() {
            return "as_bool";
        }
    }
}
