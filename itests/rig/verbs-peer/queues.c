// Queue pairs and their states.
#include "verbs-peer.h"
#include <errno.h>
#include <stdio.h>

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

void do_queue(void)
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

void do_init(void)
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

void do_rtr(void)
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

void do_rts(void)
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

void do_fail(void)
{
  struct ibv_qp_attr attributes = {.qp_state = IBV_QPS_ERR};
  modify(find_queue("id"), &attributes, 0);
}

void do_state(void)
{
  static const char *const names[] = {"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"};
  struct ibv_qp_attr attributes;
  struct ibv_qp_init_attr init;
  int failure = ibv_query_qp(find_queue("id")->qp, &attributes, IBV_QP_STATE, &init);
  if (failure) refuse_errno("ibv_query_qp", failure);
  printf("ok state=%s\n", attributes.qp_state < 7 ? names[attributes.qp_state] : "unknown");
}
