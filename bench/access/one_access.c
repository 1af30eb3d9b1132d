// One racing access, executed 10,000 times by each of two threads: the price of a scheduling point there. LONG: an instruction that a jump can
// replace. SHORT: one of two bytes that branches lead to, so that only a breakpoint fits. It fails in no schedule.
#include <pthread.h>
#include <stddef.h>

static int shared[2];

static void* work(void* unused) {
#ifdef LONG
  for (int i = 0; i < 10000; ++i) *(volatile int*)&shared[0] = i;
#else
  int* at = shared;
  int left = 10000;
  __asm__ volatile(
      "1: movl %%eax, (%1)\n"  // two bytes, and the loop leads to what follows it
      "2: decl %0\n"
      "jz 3f\n"
      "testl $1, %0\n"
      "jz 1b\n"
      "movl %%eax, (%1)\n"
      "jmp 2b\n"
      "3:\n"
      : "+r"(left)
      : "r"(at), "a"(1)
      : "memory", "cc");
#endif
  return unused;
}

int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; ++i) pthread_create(&t[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], NULL);
  return 0;
}
