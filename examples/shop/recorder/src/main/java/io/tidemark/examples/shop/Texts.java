// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** Names, addresses and notes in several scripts. */
final class Texts {

    private static final List<String> GIVEN = List.of("Ada", "Zoë", "José", "Łukasz", "Søren", "Nguyễn", "Олена",
            "Δημήτρης", "小龍", "さくら", "민준", "आरव", "نور", "נועם", "Grace", "Tom", "Mia", "Ben");
    private static final List<String> FAMILY = List.of("Müller", "O'Neill", "Smith", "García", "Žižek", "Iversen",
            "Шевченко", "Παππάς", "李", "山田", "김", "शर्मा", "حداد", "כהן", "van der Berg", "Hopper", "Lee", "Öztürk");
    private static final List<String> TAGS = List.of("vip", "wholesale", "new", "b2b", "late payer", "名人", "🚀",
            "says \"hi\"", "a,b", "back\\slash", "{brace}", "NULL", "");
    private static final List<String> REMARKS = List.of("leave at the door", "ring twice 🔔", "gift wrap, please",
            "call before delivery\nsecond line", "\"fragile\"", "礼物", "tab\there", "C:\\shop\\drop", "");
    private static final List<String> SYLLABLES = List.of("ba", "de", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu",
            "va", "ze", "cha", "gro", "pli", "sten", "ž", "ñu", "湖", "🌊");

    private final Dice dice;

    Texts(Dice dice) {
        this.dice = dice;
    }

    String name() {
        String title = dice.percent(3) ? "👩‍💻 " : "";
        return title + dice.pick(GIVEN) + " " + dice.pick(FAMILY);
    }

    String email(long id) {
        return "c" + id + "@" + dice.pick(List.of("example.org", "example.com", "bücher.example"));
    }

    String phone() {
        return "+49 30 " + dice.between(100_000, 999_999);
    }

    /** Up to four tags, some of them NULL. */
    Object[] tags() {
        List<String> tags = new ArrayList<>();
        for (int i = dice.between(0, 4); i > 0; i--) {
            tags.add(dice.percent(15) ? null : dice.pick(TAGS));
        }
        Collections.sort(tags, Comparator.nullsFirst(Comparator.naturalOrder()));
        return tags.toArray();
    }

    String remark() {
        return dice.pick(REMARKS);
    }

    /** A text of more than 8 kB that has to be stored out of line. */
    String longNote() {
        StringBuilder text = new StringBuilder("Long note. ");
        int length = dice.between(8_300, 9_500);
        while (text.length() < length) {
            for (int i = dice.between(1, 4); i > 0; i--) {
                text.append(dice.pick(SYLLABLES));
            }
            text.append(dice.percent(8) ? ".\n" : " ");
        }
        return text.toString();
    }
}
