// A verbs peer for tests: does single verbs on command and says what came of them.
//
// A command is one line on stdin, "NAME key=value key=value ..."; its answer is one line on stdout, "ok key=value ..."
// or "error REASON". The table at the end of this file lists all commands with their keys; ../README.md says more.
// Numbers are decimal or 0x hexadecimal, objects have numbers that the caller chooses. The program ends with its input.
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { OBJECTS = 64, PIECES = 16, WORDS = 40, LINE_BYTES = 4096, PORT = 1, DEEPEST_QUEUE = 1 << 14 };

// Of ibv_device_attr_ex.device_cap_flags_ex; later than the headers of some distributions.
static const uint64_t CAN_ATOMIC_WRITE = 1ULL << 40;

struct buffer { struct ibv_mr *mr; uint8_t *bytes; uint64_t length; };
struct queue { struct ibv_qp *qp; struct ibv_cq *cq; struct ibv_comp_channel *channel; };
struct word { char *key, *value; };

static struct ibv_context *device;
static struct ibv_pd *pd;
static bool can_atomic_write;
static struct buffer buffers[OBJECTS];
static struct queue queues[OBJECTS];
static struct ibv_srq *shared_queues[OBJECTS];
static struct ibv_mw *windows[OBJECTS];
static struct ibv_ah *addresses[OBJECTS];

static struct word words[WORDS];
static int word_count;
static jmp_buf refused;

// --- the words of a command --------------------------------------------------------------------------------------

// Answers that the command can't be done, and goes on with the next.
__attribute__((format(printf, 1, 2))) static _Noreturn void refuse(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fputs("error ", stdout);
  vprintf(format, arguments);
  putchar('\n');
  va_end(arguments);
  longjmp(refused, 1);
}

static _Noreturn void refuse_errno(const char *verb, int number) { refuse("%s: %s", verb, strerror(number)); }

static const char *text(const char *key)
{
  for (int i = 0; i < word_count; i++)
    if (!strcmp(words[i].key, key)) return words[i].value;
  return NULL;
}

static const char *needed_text(const char *key)
{
  const char *value = text(key);
  if (!value) refuse("%s= is missing", key);
  return value;
}

// Reads digits up to a character, and moves behind it.
static uint64_t digits(const char *key, const char **at, char end)
{
  char *behind;
  errno = 0;
  uint64_t value = strtoull(*at, &behind, 0);
  if (errno || behind == *at || **at == '-' || *behind != end) refuse("%s=%s is not a number", key, *at);
  *at = *behind ? behind + 1 : behind;
  return value;
}

static uint64_t number(const char *key, uint64_t highest)
{
  const char *value = needed_text(key);
  uint64_t result = digits(key, &value, '\0');
  if (result > highest) refuse("%s=%" PRIu64 " is over %" PRIu64, key, result, highest);
  return result;
}

static uint64_t number_or(const char *key, uint64_t highest, uint64_t otherwise)
{
  return text(key) ? number(key, highest) : otherwise;
}

// Which of the names, which end with NULL.
static int choice(const char *key, const char *const *names)
{
  const char *value = needed_text(key);
  for (int i = 0; names[i]; i++)
    if (!strcmp(value, names[i])) return i;
  refuse("%s=%s is unknown", key, value);
}

// Bits for the letters of a value, by their place in the alphabet given.
static unsigned letters(const char *key, const char *alphabet)
{
  unsigned bits = 0;
  for (const char *letter = text(key); letter && *letter; letter++) {
    const char *place = strchr(alphabet, *letter);
    if (!place) refuse("%s=%s has letters other than %s", key, text(key), alphabet);
    bits |= 1u << (place - alphabet);
  }
  return bits;
}

// IBV_ACCESS_LOCAL_WRITE is bit 0, then REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC, MW_BIND, ZERO_BASED.
static unsigned access_flags(const char *key) { return letters(key, "lwrabz"); }

static uint32_t psn(void) { return (uint32_t)number("psn", 0xffffff); }

// --- objects -----------------------------------------------------------------------------------------------------

static int object(const char *key) { return (int)number(key, OBJECTS - 1); }

static int free_object(const void *taken, int id)
{
  if (taken) refuse("id=%d is taken", id);
  return id;
}

static struct buffer *find_buffer(const char *key)
{
  struct buffer *buffer = &buffers[object(key)];
  if (!buffer->mr) refuse("there is no buffer %s", text(key));
  return buffer;
}

static struct queue *find_queue(const char *key)
{
  struct queue *queue = &queues[object(key)];
  if (!queue->qp) refuse("there is no queue pair %s", text(key));
  return queue;
}

static struct ibv_srq *find_shared_queue(const char *key)
{
  struct ibv_srq *srq = shared_queues[object(key)];
  if (!srq) refuse("there is no shared receive queue %s", text(key));
  return srq;
}

static struct ibv_mw *find_window(const char *key)
{
  struct ibv_mw *window = windows[object(key)];
  if (!window) refuse("there is no memory window %s", text(key));
  return window;
}

// The part of a buffer that offset= and length= name.
static uint8_t *part(uint64_t length)
{
  struct buffer *buffer = find_buffer("id");
  uint64_t offset = number("offset", buffer->length);
  if (length > buffer->length - offset) refuse("the buffer has only %" PRIu64 " bytes", buffer->length);
  return buffer->bytes + offset;
}

static void do_buffer(void)
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

static void do_shared_queue(void)
{
  int id = free_object(shared_queues[object("id")], object("id"));
  struct ibv_srq_init_attr init = {
    .attr = {.max_wr = (uint32_t)number("depth", DEEPEST_QUEUE), .max_sge = PIECES}};
  shared_queues[id] = ibv_create_srq(pd, &init);
  if (!shared_queues[id]) refuse_errno("ibv_create_srq", errno);
  puts("ok");
}

static void do_shared_queue_limit(void)
{
  struct ibv_srq_attr attributes = {.srq_limit = (uint32_t)number("limit", DEEPEST_QUEUE)};
  int failure = ibv_modify_srq(find_shared_queue("id"), &attributes, IBV_SRQ_LIMIT);
  if (failure) refuse_errno("ibv_modify_srq", failure);
  puts("ok");
}

static void do_window(void)
{
  int id = free_object(windows[object("id")], object("id"));
  windows[id] = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
  if (!windows[id]) refuse_errno("ibv_alloc_mw", errno);
  printf("ok rkey=0x%x\n", windows[id]->rkey);
}

// How to get to the peer's GID, an IPv4 one being ::ffff:a.b.c.d.
static struct ibv_ah_attr way_to_peer(void)
{
  struct ibv_ah_attr way = {.is_global = 1, .port_num = PORT, .grh = {.hop_limit = 64}};
  way.grh.sgid_index = (uint8_t)number("sgid", 255);
  if (inet_pton(AF_INET6, needed_text("gid"), way.grh.dgid.raw) != 1) refuse("gid=%s is no IPv6 address", text("gid"));
  return way;
}

static void do_address(void)
{
  int id = free_object(addresses[object("id")], object("id"));
  struct ibv_ah_attr way = way_to_peer();
  addresses[id] = ibv_create_ah(pd, &way);
  if (!addresses[id]) refuse_errno("ibv_create_ah", errno);
  puts("ok");
}

static void destroy_queue(struct queue *queue)
{
  if (queue->qp) ibv_destroy_qp(queue->qp);
  if (queue->cq) ibv_destroy_cq(queue->cq);
  if (queue->channel) ibv_destroy_comp_channel(queue->channel);
  *queue = (struct queue){0};
}

static void do_destroy(void)
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

// --- what is in a buffer -----------------------------------------------------------------------------------------

// Eight bytes of the pattern of a seed: SplitMix64's output, of which the peer has the same.
static uint64_t pattern(uint64_t seed, uint64_t index)
{
  uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// Eight bytes of what byte= or seed= asks for.
struct filling { bool constant; uint64_t value; };

static struct filling filling(void)
{
  if (text("byte")) return (struct filling){true, number("byte", 255) * 0x0101010101010101ULL};
  return (struct filling){false, number("seed", UINT64_MAX)};
}

static uint64_t eight_bytes(struct filling what, uint64_t index)
{
  return what.constant ? what.value : pattern(what.value, index);
}

static void do_fill(void)
{
  uint64_t length = number("length", UINT64_MAX);
  uint8_t *at = part(length);
  struct filling what = filling();
  for (uint64_t done = 0; done < length; done += 8) {
    uint64_t next = eight_bytes(what, done / 8);
    memcpy(at + done, &next, length - done < 8 ? length - done : 8);
  }
  puts("ok");
}

static void do_check(void)
{
  uint64_t length = number("length", UINT64_MAX);
  const uint8_t *at = part(length);
  struct filling what = filling();
  for (uint64_t done = 0; done < length; done += 8) {
    uint64_t next = eight_bytes(what, done / 8);
    uint64_t count = length - done < 8 ? length - done : 8;
    if (memcmp(at + done, &next, count)) {
      while (at[done] == (uint8_t)(next & 0xff)) {
        next >>= 8;
        done++;
      }
      printf("ok differs=%" PRIu64 "\n", done);
      return;
    }
  }
  puts("ok");
}

static void do_load(void)
{
  uint64_t value;
  memcpy(&value, part(sizeof value), sizeof value);
  printf("ok value=0x%" PRIx64 "\n", value);
}

static void do_store(void)
{
  uint64_t value = number("value", UINT64_MAX);
  memcpy(part(sizeof value), &value, sizeof value);
  puts("ok");
}

// --- queue pairs -------------------------------------------------------------------------------------------------

static struct ibv_qp *create_qp(struct ibv_cq *cq, enum ibv_qp_type type)
{
  struct ibv_qp_init_attr_ex init = {
    .send_cq = cq, .recv_cq = cq, .qp_type = type, .pd = pd,
    .srq = text("srq") ? find_shared_queue("srq") : NULL,
    .cap = {.max_send_wr = (uint32_t)number("sends", DEEPEST_QUEUE), .max_send_sge = PIECES,
            .max_recv_wr = (uint32_t)number("receives", DEEPEST_QUEUE), .max_recv_sge = PIECES,
            .max_inline_data = (uint32_t)number_or("inline", 4096, 0)},
    .comp_mask = IBV_QP_INIT_ATTR_PD};
  if (type == IBV_QPT_RC && can_atomic_write) {       // which is posted by ibv_wr_atomic_write only
    init.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
    init.send_ops_flags = IBV_QP_EX_WITH_ATOMIC_WRITE;
  }
  return ibv_create_qp_ex(device, &init);
}

static void do_queue(void)
{
  static const char *const types[] = {"rc", "uc", "ud", NULL};
  static const enum ibv_qp_type values[] = {IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD};
  struct queue *queue = &queues[free_object(queues[object("id")].qp, object("id"))];
  enum ibv_qp_type type = values[choice("type", types)];
  if (text("srq")) find_shared_queue("srq");
  int capacity = (int)(number("sends", DEEPEST_QUEUE) + number("receives", DEEPEST_QUEUE) + 1);
  const char *verb = "ibv_create_comp_channel";
  queue->channel = ibv_create_comp_channel(device);
  if (queue->channel) {
    verb = "ibv_create_cq";
    queue->cq = ibv_create_cq(device, capacity, NULL, queue->channel, 0);
  }
  if (queue->cq) {
    verb = "ibv_create_qp";
    queue->qp = create_qp(queue->cq, type);
  }
  if (!queue->qp) {
    int failure = errno;
    destroy_queue(queue);
    refuse_errno(verb, failure);
  }
  printf("ok number=0x%x\n", queue->qp->qp_num);
}

static void modify(struct queue *queue, struct ibv_qp_attr *attributes, int mask)
{
  int failure = ibv_modify_qp(queue->qp, attributes, mask | IBV_QP_STATE);
  if (failure) refuse_errno("ibv_modify_qp", failure);
  puts("ok");
}

static void do_init(void)
{
  struct queue *queue = find_queue("id");
  bool datagrams = queue->qp->qp_type == IBV_QPT_UD;
  struct ibv_qp_attr attributes = {.qp_state = IBV_QPS_INIT, .port_num = PORT};
  if (datagrams) attributes.qkey = (uint32_t)number("qkey", UINT32_MAX);
  else attributes.qp_access_flags = access_flags("access");
  modify(queue, &attributes, IBV_QP_PKEY_INDEX | IBV_QP_PORT | (datagrams ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
}

static enum ibv_mtu path_mtu(void)
{
  static const char *const sizes[] = {"256", "512", "1024", "2048", "4096", NULL};
  return (enum ibv_mtu)(IBV_MTU_256 + choice("mtu", sizes));
}

static void do_rtr(void)
{
  struct queue *queue = find_queue("id");
  struct ibv_qp_attr attributes = {.qp_state = IBV_QPS_RTR};
  int mask = 0;
  if (queue->qp->qp_type != IBV_QPT_UD) {
    attributes.ah_attr = way_to_peer();
    attributes.path_mtu = path_mtu();
    attributes.dest_qp_num = (uint32_t)number("peer", 0xffffff);
    attributes.rq_psn = psn();
    mask = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
  }
  if (queue->qp->qp_type == IBV_QPT_RC) {
    attributes.max_dest_rd_atomic = (uint8_t)number("reads", 255);
    attributes.min_rnr_timer = (uint8_t)number("rnr-timer", 31);
    mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
  }
  modify(queue, &attributes, mask);
}

static void do_rts(void)
{
  struct queue *queue = find_queue("id");
  struct ibv_qp_attr attributes = {.qp_state = IBV_QPS_RTS, .sq_psn = psn()};
  int mask = IBV_QP_SQ_PSN;
  if (queue->qp->qp_type == IBV_QPT_RC) {
    attributes.timeout = (uint8_t)number("timeout", 31);
    attributes.retry_cnt = (uint8_t)number("retries", 7);
    attributes.rnr_retry = (uint8_t)number("rnr-retries", 7);
    attributes.max_rd_atomic = (uint8_t)number("reads", 255);
    mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
  }
  modify(queue, &attributes, mask);
}

static void do_fail(void)
{
  struct ibv_qp_attr attributes = {.qp_state = IBV_QPS_ERR};
  modify(find_queue("id"), &attributes, 0);
}

static void do_state(void)
{
  static const char *const names[] = {"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"};
  struct ibv_qp_attr attributes;
  struct ibv_qp_init_attr init;
  int failure = ibv_query_qp(find_queue("id")->qp, &attributes, IBV_QP_STATE, &init);
  if (failure) refuse_errno("ibv_query_qp", failure);
  printf("ok state=%s\n", attributes.qp_state < 7 ? names[attributes.qp_state] : "unknown");
}

// --- work requests -----------------------------------------------------------------------------------------------

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

static void do_receive(void)
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

static void do_send(void)
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

// --- completions and events --------------------------------------------------------------------------------------

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

static void do_poll(void)
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
static void do_event(void)
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

// --- the loop ----------------------------------------------------------------------------------------------------

static void do_device(void)
{
  printf("ok name=%s atomic_write=%d\n", ibv_get_device_name(device->device), can_atomic_write);
}

static const struct command { const char *name, *keys; void (*run)(void); } commands[] = {
  {"device", "", do_device},
  {"buffer", "id length access", do_buffer},
  {"fill", "id offset length seed byte", do_fill},
  {"check", "id offset length seed byte", do_check},
  {"load", "id offset", do_load},
  {"store", "id offset value", do_store},
  {"shared-queue", "id depth", do_shared_queue},
  {"shared-queue-limit", "id limit", do_shared_queue_limit},
  {"window", "id", do_window},
  {"address", "id gid sgid", do_address},
  {"queue", "id type sends receives srq inline", do_queue},
  {"init", "id access qkey", do_init},
  {"rtr", "id peer psn mtu gid sgid reads rnr-timer", do_rtr},
  {"rts", "id psn timeout retries rnr-retries reads", do_rts},
  {"fail", "id", do_fail},
  {"state", "id", do_state},
  {"receive", "queue srq wr pieces", do_receive},
  {"send", "queue op wr pieces flags remote key imm invalidate value swap address peer qkey window buffer offset"
           " length access", do_send},
  {"poll", "queue ms", do_poll},
  {"event", "ms", do_event},
  {"destroy", "kind id", do_destroy},
};

static bool is_key_of(const struct command *command, const char *key)
{
  for (const char *at = command->keys; *at; at += strspn(at, " ")) {
    size_t length = strcspn(at, " ");
    if (strlen(key) == length && !strncmp(at, key, length)) return true;
    at += length;
  }
  return false;
}

static const struct command *find_command(const char *name)
{
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (!strcmp(commands[i].name, name)) return &commands[i];
  refuse("unknown command %s", name);
}

static void execute(char *line)
{
  char *rest, *name = strtok_r(line, " \n", &rest);
  if (!name) refuse("an empty command");
  const struct command *command = find_command(name);
  word_count = 0;
  for (char *word; (word = strtok_r(NULL, " \n", &rest));) {
    char *equals = strchr(word, '=');
    if (!equals) refuse("%s is not key=value", word);
    *equals = '\0';
    if (!is_key_of(command, word)) refuse("%s has no %s=, only %s", name, word, command->keys);
    if (text(word)) refuse("%s= is there twice", word);
    if (word_count == WORDS) refuse("more than %d words", WORDS);
    words[word_count++] = (struct word){word, equals + 1};
  }
  command->run();
}

static void open_device(void)
{
  struct ibv_device **list = ibv_get_device_list(NULL);
  if (!list || !*list) refuse("there is no RDMA device");
  device = ibv_open_device(*list);
  if (!device) refuse_errno("ibv_open_device", errno);
  ibv_free_device_list(list);
  pd = ibv_alloc_pd(device);
  if (!pd) refuse_errno("ibv_alloc_pd", errno);
  struct ibv_device_attr_ex attributes;
  can_atomic_write = !ibv_query_device_ex(device, NULL, &attributes) &&
    attributes.device_cap_flags_ex & CAN_ATOMIC_WRITE;
}

int main(void)
{
  static char line[LINE_BYTES];
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (setjmp(refused)) return 1;
  open_device();
  while (fgets(line, sizeof line, stdin)) {
    if (setjmp(refused)) continue;
    if (!strchr(line, '\n')) {
      for (int c = 0; c != '\n' && c != EOF;) c = getchar();
      refuse("a line of over %d bytes", LINE_BYTES - 2);
    }
    execute(line);
  }
  // The kernel cleans up the rest, but soft-RoCE waits 50 s for windows that are still bound.
  for (int i = 0; i < OBJECTS; i++)
    if (windows[i]) ibv_dealloc_mw(windows[i]);
  return 0;
}
