package io.gpumem.platform.cluster;

/**
 * What a feed has done since it began.
 *
 * @param lists whole lists that were delivered
 * @param watches watches that the server accepted
 * @param events events read from the watches, bookmarks not counted
 * @param failures lists and watches that failed, each followed by a wait
 * @param expiries times the server had forgotten where we were (410), each followed by a list
 * @param listenerFaults exceptions thrown by the listener
 * @param trimFaults exceptions thrown by trim, or objects that could not be read
 */
public record FeedCounts(
    long lists,
    long watches,
    long events,
    long failures,
    long expiries,
    long listenerFaults,
    long trimFaults) {}
