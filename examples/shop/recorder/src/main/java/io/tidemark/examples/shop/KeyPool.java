// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import java.util.ArrayList;
import java.util.List;

/** Things that exist at the moment, in order of their arrival. */
final class KeyPool<T> {

    private final List<T> members = new ArrayList<>();
    private final Dice dice;

    KeyPool(Dice dice) {
        this.dice = dice;
    }

    void add(T member) {
        members.add(member);
    }

    boolean isEmpty() {
        return members.isEmpty();
    }

    int size() {
        return members.size();
    }

    void clear() {
        members.clear();
    }

    /** Any member, all equally likely. */
    T any() {
        return dice.pick(members);
    }

    /** One of the last {@code window} members. */
    T recent(int window) {
        return members.get(recentIndex(window));
    }

    /** Removes and returns one of the last {@code window} members. */
    T takeRecent(int window) {
        return members.remove(recentIndex(window));
    }

    /** Removes and returns any member. */
    T takeAny() {
        return takeRecent(members.size());
    }

    /** Removes a member and tells whether it was one. */
    boolean remove(T member) {
        return members.remove(member);
    }

    private int recentIndex(int window) {
        int size = members.size();
        return dice.between(Math.max(0, size - window), size - 1);
    }
}
