// What is in a buffer.
#include "verbs-peer.h"
#include <stdio.h>
#include <string.h>

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

void do_fill(void)
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

void do_check(void)
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

void do_load(void)
{
  uint64_t value;
  memcpy(&value, part(sizeof value), sizeof value);
  printf("ok value=0x%" PRIx64 "\n", value);
}

void do_store(void)
{
  uint64_t value = number("value", UINT64_MAX);
  memcpy(part(sizeof value), &value, sizeof value);
  puts("ok");
}
