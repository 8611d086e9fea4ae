package io.tidemark.compile.codec;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Sealed types: the name of the member, then its own form. */
final class SealedForm {
    private final List<Class<?>> members = new ArrayList<>();
    private final List<Form> forms = new ArrayList<>();
    private final String name;

    private SealedForm(Class<?> type, Forms all, String where) {
        this.name = type.getName();
        collect(type, where);
        members.sort(Comparator.comparing(Class::getName));
        members.forEach(member -> forms.add(all.find(member, where + "(" + member.getSimpleName() + ")")));
    }

    private void collect(Class<?> type, String where) {
        for (Class<?> member : type.getPermittedSubclasses()) {
            if (member.isSealed() && !member.isEnum()) {
                collect(member, where);
            } else if (member.isRecord() || member.isEnum()) {
                if (!members.contains(member)) {
                    members.add(member);
                }
            } else {
                throw Forms.unsupported(member, where);
            }
        }
    }

    static Form of(Class<?> type, Forms all, String where) {
        SealedForm form = new SealedForm(type, all, where);
        return Forms.nullable(form.schema(), form::write, form::read);
    }

    private String schema() {
        List<String> schemas = forms.stream().map(Form::schema).toList();
        return "sealed " + name + "{" + String.join(" | ", schemas) + "}";
    }

    private void write(Object value, ByteOutput output) {
        int member = 0;
        while (!members.get(member).isInstance(value)) {
            member++;
        }
        output.writeText(members.get(member).getName());
        forms.get(member).write(value, output);
    }

    private Object read(ByteInput input) {
        String member = input.readText();
        for (int i = 0; i < members.size(); i++) {
            if (members.get(i).getName().equals(member)) {
                Object value = forms.get(i).read(input);
                if (value == null) {
                    break;
                }
                return value;
            }
        }
        throw new ByteInput.CorruptBytesException(member + " is no member of " + name);
    }
}
