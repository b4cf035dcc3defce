package io.gpumem.platform.cluster;

/**
 * What became of event notes.
 *
 * @param sent accepted by the server
 * @param repeated dropped because the same note was sent minutes ago
 * @param dropped dropped because of the rate or a full queue
 * @param failed refused by the server, or not answered
 */
public record EventCounts(long sent, long repeated, long dropped, long failed) {}
