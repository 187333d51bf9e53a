// Completions and asynchronous events.
#include "verbs-peer.h"
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>

static int64_t now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

// Whether a descriptor could be read before the deadline.
static bool await(int descriptor, int64_t deadline_ms)
{
  struct pollfd ready = {.fd = descriptor, .events = POLLIN};
  int64_t left_ms = deadline_ms - now_ms();
  return poll(&ready, 1, left_ms > 0 ? (int)left_ms : 0) == 1;
}

static int poll_cq(struct queue *queue, struct ibv_wc *into)
{
  int count = ibv_poll_cq(queue->cq, 1, into);
  if (count < 0) refuse("ibv_poll_cq: %d", count);
  return count;
}

// Polls until there is a completion, or the deadline; sleeps on the channel in between.
static bool await_completion(struct queue *queue, struct ibv_wc *into, int64_t deadline_ms)
{
  while (true) {
    if (poll_cq(queue, into)) return true;
    ibv_req_notify_cq(queue->cq, 0);
    if (poll_cq(queue, into)) return true;
    if (!await(queue->channel->fd, deadline_ms)) return poll_cq(queue, into);
    struct ibv_cq *cq;
    void *context;
    if (!ibv_get_cq_event(queue->channel, &cq, &context)) ibv_ack_cq_events(cq, 1);
  }
}

static const char *completion_name(enum ibv_wc_opcode opcode)
{
  switch (opcode) {
    case IBV_WC_SEND: return "send";
    case IBV_WC_RDMA_WRITE: return "write";
    case IBV_WC_RDMA_READ: return "read";
    case IBV_WC_COMP_SWAP: return "cmp-swap";
    case IBV_WC_FETCH_ADD: return "fetch-add";
    case IBV_WC_ATOMIC_WRITE: return "atomic-write";
    case IBV_WC_BIND_MW: return "bind";
    case IBV_WC_LOCAL_INV: return "local-inv";
    case IBV_WC_RECV: return "receive";
    case IBV_WC_RECV_RDMA_WITH_IMM: return "receive-write-imm";
    default: return "unknown";
  }
}

void do_poll(void)
{
  struct ibv_wc wc;
  if (!await_completion(find_queue("queue"), &wc, now_ms() + (int64_t)number("ms", 1000000))) {
    puts("ok none=1");
    return;
  }
  printf("ok wr=%" PRIu64 " status=%d", wc.wr_id, wc.status);
  if (wc.status == IBV_WC_SUCCESS) {
    printf(" opcode=%s bytes=%u source=0x%x", completion_name(wc.opcode), wc.byte_len, wc.src_qp);
    if (wc.wc_flags & IBV_WC_WITH_IMM) printf(" imm=0x%x", ntohl(wc.imm_data));
    // soft-RoCE gives the kernel's flag, IB_WC_WITH_INVALIDATE, whose value is IBV_WC_IP_CSUM_OK here.
    if (wc.wc_flags & (IBV_WC_WITH_INV | IBV_WC_IP_CSUM_OK)) printf(" invalidated=0x%x", wc.invalidated_rkey);
    if (wc.wc_flags & IBV_WC_GRH) printf(" grh=1");
  }
  putchar('\n');
}

// Events by their numbers in ibv_event_type: 4 COMM_EST, 15 SRQ_LIMIT_REACHED, 16 QP_LAST_WQE_REACHED, ...
void do_event(void)
{
  struct ibv_async_event event;
  if (!await(device->async_fd, now_ms() + (int64_t)number("ms", 1000000))) {
    puts("ok none=1");
    return;
  }
  if (ibv_get_async_event(device, &event)) refuse_errno("ibv_get_async_event", errno);
  printf("ok type=%d", event.event_type);
  for (int i = 0; i < OBJECTS; i++) {
    if (queues[i].qp && event.element.qp == queues[i].qp) printf(" queue=%d", i);
    if (shared_queues[i] && event.element.srq == shared_queues[i]) printf(" srq=%d", i);
  }
  putchar('\n');
  ibv_ack_async_event(&event);
}
