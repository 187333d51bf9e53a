// What the files of verbs-peer share. One thread.
#pragma once

#include <infiniband/verbs.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdbool.h>

enum { OBJECTS = 64, PIECES = 16, WORDS = 40, LINE_BYTES = 4096, PORT = 1, DEEPEST_QUEUE = 1 << 14 };

struct buffer { struct ibv_mr *mr; uint8_t *bytes; uint64_t length; };
struct queue { struct ibv_qp *qp; struct ibv_cq *cq; struct ibv_comp_channel *channel; };
struct word { char *key, *value; };

// The device, opened at the start.
extern struct ibv_context *device;
extern struct ibv_pd *pd;
extern bool can_atomic_write;

// The command's words, and where a refused one goes on.
extern struct word words[WORDS];
extern int word_count;
extern jmp_buf refused;

__attribute__((format(printf, 1, 2))) _Noreturn void refuse(const char *format, ...);
_Noreturn void refuse_errno(const char *verb, int number);
const char *text(const char *key);
const char *needed_text(const char *key);
uint64_t digits(const char *key, const char **at, char end);
uint64_t number(const char *key, uint64_t highest);
uint64_t number_or(const char *key, uint64_t highest, uint64_t otherwise);
int choice(const char *key, const char *const *names);
unsigned letters(const char *key, const char *alphabet);
unsigned access_flags(const char *key);
uint32_t psn(void);

// Objects by the caller's numbers; a finder refuses what isn't there.
extern struct buffer buffers[OBJECTS];
extern struct queue queues[OBJECTS];
extern struct ibv_srq *shared_queues[OBJECTS];
extern struct ibv_mw *windows[OBJECTS];
extern struct ibv_ah *addresses[OBJECTS];

int object(const char *key);
int free_object(const void *taken, int id);
struct buffer *find_buffer(const char *key);
struct queue *find_queue(const char *key);
struct ibv_srq *find_shared_queue(const char *key);
struct ibv_mw *find_window(const char *key);
uint8_t *part(uint64_t length);
struct ibv_ah_attr way_to_peer(void);
void destroy_queue(struct queue *queue);

// The commands.
void do_buffer(void);
void do_shared_queue(void);
void do_shared_queue_limit(void);
void do_window(void);
void do_address(void);
void do_destroy(void);
void do_fill(void);
void do_check(void);
void do_load(void);
void do_store(void);
void do_queue(void);
void do_init(void);
void do_rtr(void);
void do_rts(void);
void do_fail(void);
void do_state(void);
void do_receive(void);
void do_send(void);
void do_poll(void);
void do_event(void);
