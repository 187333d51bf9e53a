// What commands make, under numbers of the caller's choice.
#include "verbs-peer.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

struct buffer buffers[OBJECTS];
struct queue queues[OBJECTS];
struct ibv_srq *shared_queues[OBJECTS];
struct ibv_mw *windows[OBJECTS];
struct ibv_ah *addresses[OBJECTS];

int object(const char *key) { return (int)number(key, OBJECTS - 1); }

int free_object(const void *taken, int id)
{
  if (taken) refuse("id=%d is taken", id);
  return id;
}

struct buffer *find_buffer(const char *key)
{
  struct buffer *buffer = &buffers[object(key)];
  if (!buffer->mr) refuse("there is no buffer %s", text(key));
  return buffer;
}

struct queue *find_queue(const char *key)
{
  struct queue *queue = &queues[object(key)];
  if (!queue->qp) refuse("there is no queue pair %s", text(key));
  return queue;
}

struct ibv_srq *find_shared_queue(const char *key)
{
  struct ibv_srq *srq = shared_queues[object(key)];
  if (!srq) refuse("there is no shared receive queue %s", text(key));
  return srq;
}

struct ibv_mw *find_window(const char *key)
{
  struct ibv_mw *window = windows[object(key)];
  if (!window) refuse("there is no memory window %s", text(key));
  return window;
}

// The part of a buffer that offset= and length= name.
uint8_t *part(uint64_t length)
{
  struct buffer *buffer = find_buffer("id");
  uint64_t offset = number("offset", buffer->length);
  if (length > buffer->length - offset) refuse("the buffer has only %" PRIu64 " bytes", buffer->length);
  return buffer->bytes + offset;
}

void do_buffer(void)
{
  int id = free_object(buffers[object("id")].mr, object("id"));
  struct buffer buffer = {.length = number("length", 1ULL << 30)};
  buffer.bytes = mmap(NULL, buffer.length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (buffer.bytes == MAP_FAILED) refuse_errno("mmap", errno);
  buffer.mr = ibv_reg_mr(pd, buffer.bytes, buffer.length, (int)access_flags("access"));
  if (!buffer.mr) {
    int failure = errno;
    munmap(buffer.bytes, buffer.length);
    refuse_errno("ibv_reg_mr", failure);
  }
  buffers[id] = buffer;
  printf("ok address=0x%" PRIxPTR " lkey=0x%x rkey=0x%x\n", (uintptr_t)buffer.bytes, buffer.mr->lkey, buffer.mr->rkey);
}

void do_shared_queue(void)
{
  int id = free_object(shared_queues[object("id")], object("id"));
  struct ibv_srq_init_attr init = {
    .attr = {.max_wr = (uint32_t)number("depth", DEEPEST_QUEUE), .max_sge = PIECES}};
  shared_queues[id] = ibv_create_srq(pd, &init);
  if (!shared_queues[id]) refuse_errno("ibv_create_srq", errno);
  puts("ok");
}

void do_shared_queue_limit(void)
{
  struct ibv_srq_attr attributes = {.srq_limit = (uint32_t)number("limit", DEEPEST_QUEUE)};
  int failure = ibv_modify_srq(find_shared_queue("id"), &attributes, IBV_SRQ_LIMIT);
  if (failure) refuse_errno("ibv_modify_srq", failure);
  puts("ok");
}

void do_window(void)
{
  int id = free_object(windows[object("id")], object("id"));
  windows[id] = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
  if (!windows[id]) refuse_errno("ibv_alloc_mw", errno);
  printf("ok rkey=0x%x\n", windows[id]->rkey);
}

// How to get to the peer's GID, an IPv4 one being ::ffff:a.b.c.d.
struct ibv_ah_attr way_to_peer(void)
{
  struct ibv_ah_attr way = {.is_global = 1, .port_num = PORT, .grh = {.hop_limit = 64}};
  way.grh.sgid_index = (uint8_t)number("sgid", 255);
  if (inet_pton(AF_INET6, needed_text("gid"), way.grh.dgid.raw) != 1) refuse("gid=%s is no IPv6 address", text("gid"));
  return way;
}

void do_address(void)
{
  int id = free_object(addresses[object("id")], object("id"));
  struct ibv_ah_attr way = way_to_peer();
  addresses[id] = ibv_create_ah(pd, &way);
  if (!addresses[id]) refuse_errno("ibv_create_ah", errno);
  puts("ok");
}

void destroy_queue(struct queue *queue)
{
  if (queue->qp) ibv_destroy_qp(queue->qp);
  if (queue->cq) ibv_destroy_cq(queue->cq);
  if (queue->channel) ibv_destroy_comp_channel(queue->channel);
  *queue = (struct queue){0};
}

void do_destroy(void)
{
  static const char *const kinds[] = {"buffer", "queue", "shared-queue", "window", "address", NULL};
  int id = object("id"), failure = 0;
  switch (choice("kind", kinds)) {
    case 0: {
      struct buffer *buffer = find_buffer("id");
      failure = ibv_dereg_mr(buffer->mr);
      if (failure) break;
      munmap(buffer->bytes, buffer->length);
      *buffer = (struct buffer){0};
      break;
    }
    case 1:
      destroy_queue(find_queue("id"));
      break;
    case 2:
      failure = ibv_destroy_srq(find_shared_queue("id"));
      if (!failure) shared_queues[id] = NULL;
      break;
    case 3:
      failure = ibv_dealloc_mw(find_window("id"));
      if (!failure) windows[id] = NULL;
      break;
    default:
      if (!addresses[id]) refuse("there is no address %d", id);
      failure = ibv_destroy_ah(addresses[id]);
      if (!failure) addresses[id] = NULL;
  }
  if (failure) refuse_errno("destroy", failure);
  puts("ok");
}
