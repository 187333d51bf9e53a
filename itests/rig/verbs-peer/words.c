// The words of the command at hand, and how it is refused.
#include "verbs-peer.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word words[WORDS];
int word_count;
jmp_buf refused;

// Answers that the command can't be done, and goes on with the next.
_Noreturn void refuse(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fputs("error ", stdout);
  vprintf(format, arguments);
  putchar('\n');
  va_end(arguments);
  longjmp(refused, 1);
}

_Noreturn void refuse_errno(const char *verb, int number) { refuse("%s: %s", verb, strerror(number)); }

const char *text(const char *key)
{
  for (int i = 0; i < word_count; i++)
    if (!strcmp(words[i].key, key)) return words[i].value;
  return NULL;
}

const char *needed_text(const char *key)
{
  const char *value = text(key);
  if (!value) refuse("%s= is missing", key);
  return value;
}

// Reads digits up to a character, and moves behind it.
uint64_t digits(const char *key, const char **at, char end)
{
  char *behind;
  errno = 0;
  uint64_t value = strtoull(*at, &behind, 0);
  if (errno || behind == *at || **at == '-' || *behind != end) refuse("%s=%s is not a number", key, *at);
  *at = *behind ? behind + 1 : behind;
  return value;
}

uint64_t number(const char *key, uint64_t highest)
{
  const char *value = needed_text(key);
  uint64_t result = digits(key, &value, '\0');
  if (result > highest) refuse("%s=%" PRIu64 " is over %" PRIu64, key, result, highest);
  return result;
}

uint64_t number_or(const char *key, uint64_t highest, uint64_t otherwise)
{
  return text(key) ? number(key, highest) : otherwise;
}

// Which of the names, which end with NULL.
int choice(const char *key, const char *const *names)
{
  const char *value = needed_text(key);
  for (int i = 0; names[i]; i++)
    if (!strcmp(value, names[i])) return i;
  refuse("%s=%s is unknown", key, value);
}

// Bits for the letters of a value, by their place in the alphabet given.
unsigned letters(const char *key, const char *alphabet)
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
unsigned access_flags(const char *key) { return letters(key, "lwrabz"); }

uint32_t psn(void) { return (uint32_t)number("psn", 0xffffff); }
