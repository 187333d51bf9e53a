package io.burst.verbs;

import java.util.List;

/**
 * An opened RDMA device (ibv_context). An OSGi service with the property {@code burst.device} holding its name; it
 * goes when its configuration does. Safe for use by any thread.
 */
public interface Device {

  /** The OSGi service property that holds {@link #name()}. */
  String NAME_PROPERTY = "burst.device";

  /** The device's name (ibv_get_device_name). */
  String name();

  /** The largest path MTU that the link carries (ibv_port_attr.active_mtu). */
  PathMtu activeMtu();

  /** The port's addresses by GID index (ibv_query_gid); the list has no empty entries. */
  List<Gid> gids();

  /** Allocates a protection domain (ibv_alloc_pd). */
  ProtectionDomain allocateProtectionDomain();

  /**
   * Creates a completion queue (ibv_create_cq).
   *
   * @param capacity completions that it holds at least, 1 to 2^22; one more than fit is an overrun, which puts the
   *     queue pair behind it in {@link QueuePairState#ERROR}
   */
  CompletionQueue createCompletionQueue(int capacity);

  /**
   * Creates a completion queue (ibv_create_cq with a completion channel).
   *
   * @param listener called once for each {@link CompletionQueue#requestNotification}, on the worker's thread: it must
   *     neither block nor take long, and a verb that needs the worker is refused there (EDEADLK)
   */
  CompletionQueue createCompletionQueue(int capacity, Runnable listener);

  /** Takes the oldest asynchronous event (ibv_get_async_event), or null. What is closed has no more events. */
  AsyncEvent pollEvent();
}
