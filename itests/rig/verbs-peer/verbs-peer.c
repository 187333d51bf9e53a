// A verbs peer for tests: does single verbs on command and says what came of them.
//
// A command is one line on stdin, "NAME key=value key=value ..."; its answer is one line on stdout, "ok key=value ..."
// or "error REASON". The table at the end of this file lists all commands with their keys; ../README.md says more.
// Numbers are decimal or 0x hexadecimal, objects have numbers that the caller chooses. The program ends with its input.
#include "verbs-peer.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

// Of ibv_device_attr_ex.device_cap_flags_ex; later than the headers of some distributions.
static const uint64_t CAN_ATOMIC_WRITE = 1ULL << 40;

struct ibv_context *device;
struct ibv_pd *pd;
bool can_atomic_write;

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
