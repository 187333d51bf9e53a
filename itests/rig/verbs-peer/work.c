// Work requests.
#include "verbs-peer.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

// pieces=BUFFER:OFFSET:LENGTH,... Returns how many.
static int pieces(struct ibv_sge *into)
{
  int count = 0;
  const char *at = text("pieces");
  while (at && *at) {
    if (count == PIECES) refuse("more than %d pieces", PIECES);
    uint64_t id = digits("pieces", &at, ':'), offset = digits("pieces", &at, ':');
    uint64_t length = digits("pieces", &at, strchr(at, ',') ? ',' : '\0');
    if (id >= OBJECTS || !buffers[id].mr) refuse("there is no buffer %" PRIu64, id);
    if (offset > buffers[id].length || length > buffers[id].length - offset || length > UINT32_MAX)
      refuse("buffer %" PRIu64 " has only %" PRIu64 " bytes", id, buffers[id].length);
    into[count++] = (struct ibv_sge){(uintptr_t)buffers[id].bytes + offset, (uint32_t)length, buffers[id].mr->lkey};
  }
  return count;
}

void do_receive(void)
{
  struct ibv_sge list[PIECES];
  struct ibv_recv_wr request = {.wr_id = number("wr", UINT64_MAX), .sg_list = list}, *bad;
  request.num_sge = pieces(list);
  int failure = text("srq") ? ibv_post_srq_recv(find_shared_queue("srq"), &request, &bad)
                            : ibv_post_recv(find_queue("queue")->qp, &request, &bad);
  if (failure) refuse_errno("ibv_post_recv", failure);
  puts("ok");
}

static const char *const operation_names[] = {"send", "send-imm", "send-inv", "write", "write-imm", "read", "cmp-swap",
  "fetch-add", "atomic-write", "bind", "local-inv", NULL};
static const enum ibv_wr_opcode operations[] = {IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_SEND_WITH_INV,
  IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_READ, IBV_WR_ATOMIC_CMP_AND_SWP,
  IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WR_ATOMIC_WRITE, IBV_WR_BIND_MW, IBV_WR_LOCAL_INV};

static unsigned send_flags(void)
{
  // IBV_SEND_FENCE is bit 0, then SIGNALED, SOLICITED, INLINE.
  return letters("flags", "fsoi");
}

// The eight bytes are value=.
static void post_atomic_write(struct queue *queue)
{
  if (!can_atomic_write) refuse("the kernel's driver has no ATOMIC WRITE");
  struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(queue->qp);
  uint64_t wr = number("wr", UINT64_MAX), remote = number("remote", UINT64_MAX), value = number("value", UINT64_MAX);
  uint32_t key = (uint32_t)number("key", UINT32_MAX);
  ibv_wr_start(qp);
  qp->wr_id = wr;
  qp->wr_flags = send_flags();
  ibv_wr_atomic_write(qp, key, remote, &value);
  int failure = ibv_wr_complete(qp);
  if (failure) refuse_errno("ibv_wr_atomic_write", failure);
}

// The window's new key is key=, its old one with another low byte.
static void fill_bind(struct ibv_send_wr *request)
{
  struct buffer *buffer = find_buffer("buffer");
  uint64_t offset = number("offset", buffer->length);
  request->bind_mw.mw = find_window("window");
  request->bind_mw.rkey = (uint32_t)number("key", UINT32_MAX);
  request->bind_mw.bind_info = (struct ibv_mw_bind_info){.mr = buffer->mr, .addr = (uintptr_t)buffer->bytes + offset,
    .length = number("length", UINT64_MAX), .mw_access_flags = access_flags("access")};
}

static void fill_request(struct ibv_send_wr *request, const struct queue *queue)
{
  if (queue->qp->qp_type == IBV_QPT_UD) {
    request->wr.ud.ah = addresses[object("address")];
    if (!request->wr.ud.ah) refuse("there is no address %s", text("address"));
    request->wr.ud.remote_qpn = (uint32_t)number("peer", 0xffffff);
    request->wr.ud.remote_qkey = (uint32_t)number("qkey", UINT32_MAX);
  }
  switch (request->opcode) {
    case IBV_WR_RDMA_WRITE_WITH_IMM:
    case IBV_WR_SEND_WITH_IMM:
      request->imm_data = htonl((uint32_t)number("imm", UINT32_MAX));
      break;
    case IBV_WR_SEND_WITH_INV:
    case IBV_WR_LOCAL_INV:
      request->invalidate_rkey = (uint32_t)number("invalidate", UINT32_MAX);
      break;
    case IBV_WR_BIND_MW:
      fill_bind(request);
      break;
    default:
      break;
  }
  switch (request->opcode) {
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM:
    case IBV_WR_RDMA_READ:
      request->wr.rdma.remote_addr = number("remote", UINT64_MAX);
      request->wr.rdma.rkey = (uint32_t)number("key", UINT32_MAX);
      break;
    case IBV_WR_ATOMIC_CMP_AND_SWP:
    case IBV_WR_ATOMIC_FETCH_AND_ADD:
      request->wr.atomic.remote_addr = number("remote", UINT64_MAX);
      request->wr.atomic.rkey = (uint32_t)number("key", UINT32_MAX);
      // What to compare with, or to add.
      request->wr.atomic.compare_add = number("value", UINT64_MAX);
      request->wr.atomic.swap = number_or("swap", UINT64_MAX, 0);
      break;
    default:
      break;
  }
}

void do_send(void)
{
  struct queue *queue = find_queue("queue");
  struct ibv_sge list[PIECES];
  struct ibv_send_wr request = {.wr_id = number("wr", UINT64_MAX), .sg_list = list, .send_flags = send_flags()}, *bad;
  request.opcode = operations[choice("op", operation_names)];
  if (request.opcode == IBV_WR_ATOMIC_WRITE) {
    post_atomic_write(queue);
  } else {
    request.num_sge = pieces(list);
    fill_request(&request, queue);
    int failure = ibv_post_send(queue->qp, &request, &bad);
    if (failure) refuse_errno("ibv_post_send", failure);
    if (request.opcode == IBV_WR_BIND_MW) request.bind_mw.mw->rkey = request.bind_mw.rkey;
  }
  puts("ok");
}
