// A main that no C compiler made: it comes back with a stack pointer and registers that are not the caller's. The C library needs neither.
// heddle: expect=none runs<=20
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* unused) {
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  return unused;
}

__attribute__((used)) static int body(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  work(0);
  return pthread_join(t, 0);
}

__asm__(
    ".text\n"
    ".globl main\n"
    ".type main, @function\n"
    "main:\n"
    "  subq $8, %rsp\n"
    "  call body\n"
    "  movq 8(%rsp), %rcx\n"
    "  subq $4096, %rsp\n"
    "  movq $1, %rbx\n"
    "  movq %rbx, %rbp\n"
    "  movq %rbx, %r12\n"
    "  movq %rbx, %r13\n"
    "  movq %rbx, %r14\n"
    "  movq %rbx, %r15\n"
    "  jmp *%rcx\n");
