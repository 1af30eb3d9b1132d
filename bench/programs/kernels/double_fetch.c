// A handler validates a length in shared memory and fetches it a second time for the copy; the
// other side enlarges it in between and the copy runs over the buffer.
// Stands for: double-fetch vulnerabilities (Wang et al. 2017; CVE-2016-6516-like).
// Ours differs: the overrun lands in a canary inside our own buffer and is asserted.
// heddle-kernel: family=double_fetch kind=assert granularity=access optimum=1 class=atomicity
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { kRoom = 4, kAll = 8, kCanary = 0x7f };

struct message {
  atomic_int length;
  char bytes[kAll];
};

static struct message message = {4, "abcdefg"};
static char buffer[kAll];  // the last four bytes are the canary

static void* handler(void* arg) {
  (void)arg;
  int length = atomic_load(&message.length);
  if (length > kRoom) return NULL;
#ifndef FIXED
  length = atomic_load(&message.length);  // BUG
#endif
  for (int i = 0; i < length; i++) buffer[i] = message.bytes[i];
  for (int i = kRoom; i < kAll; i++) assert(buffer[i] == kCanary);
  return NULL;
}

static void* attacker(void* arg) {
  (void)arg;
  atomic_store(&message.length, kAll);
  return NULL;
}

int main(void) {
  pthread_t h, a;
  for (int i = kRoom; i < kAll; i++) buffer[i] = kCanary;
  pthread_create(&h, NULL, handler, NULL);
  pthread_create(&a, NULL, attacker, NULL);
  pthread_join(h, NULL);
  pthread_join(a, NULL);
  return 0;
}
