package io.tidemark.compile.codec;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records, component after component. */
final class RecordForm {
    private final Class<?> type;
    private final Constructor<?> constructor;
    private final List<Method> accessors = new ArrayList<>();
    private final List<Form> forms = new ArrayList<>();
    private final List<Boolean> primitives = new ArrayList<>();

    private RecordForm(Class<?> type, Forms all, String where) {
        this.type = type;
        RecordComponent[] components = type.getRecordComponents();
        try {
            constructor = type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("a record without its constructor", e);
        }
        constructor.setAccessible(true);
        for (RecordComponent component : components) {
            Method accessor = component.getAccessor();
            accessor.setAccessible(true);
            accessors.add(accessor);
            forms.add(all.find(component.getGenericType(), where + "." + component.getName()));
            primitives.add(component.getType().isPrimitive());
        }
    }

    static Form of(Class<?> type, Forms all, String where) {
        RecordForm form = new RecordForm(type, all, where);
        return Forms.nullable(form.schema(), form::write, form::read);
    }

    private String schema() {
        StringBuilder schema =
                new StringBuilder("record ").append(type.getName()).append('(');
        for (int i = 0; i < forms.size(); i++) {
            schema.append(i == 0 ? "" : ", ")
                    .append(accessors.get(i).getName())
                    .append(": ")
                    .append(forms.get(i).schema());
        }
        return schema.append(')').toString();
    }

    private void write(Object value, ByteOutput output) {
        for (int i = 0; i < forms.size(); i++) {
            forms.get(i).write(call(accessors.get(i), value), output);
        }
    }

    private Object read(ByteInput input) {
        @Nullable Object[] arguments = new Object[forms.size()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = forms.get(i).read(input);
            if (arguments[i] == null && primitives.get(i)) {
                throw new ByteInput.CorruptBytesException(accessors.get(i).getName() + " is null");
            }
        }
        try {
            return constructor.newInstance(arguments);
        } catch (InvocationTargetException e) {
            throw rethrown(e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("a " + type.getName() + " cannot be made", e);
        }
    }

    private static @Nullable Object call(Method accessor, Object value) {
        try {
            return accessor.invoke(value);
        } catch (InvocationTargetException e) {
            throw rethrown(e);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(accessor + " cannot be called", e);
        }
    }

    /** What a user's own constructor or accessor throws is the user's failure. */
    private static RuntimeException rethrown(InvocationTargetException e) {
        Throwable cause = e.getCause();
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException failure ? failure : new IllegalStateException(cause);
    }
}
