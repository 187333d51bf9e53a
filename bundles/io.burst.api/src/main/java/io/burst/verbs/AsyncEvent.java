package io.burst.verbs;

/**
 * Something that happened to a resource and isn't the end of a work request (ibv_async_event).
 *
 * @param element the {@link QueuePair}, {@link CompletionQueue} or {@link SharedReceiveQueue}, as the type says
 */
public record AsyncEvent(AsyncEventType type, Object element) {}
