// The loop is code that was made at run time: nobody can decode it from a file.
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

static void* worker(void* code) {
  ((void (*)(void))code)();
  return NULL;
}

int main(void) {
  static const unsigned char kLoop[] = {0xEB, 0xFE};  // jmp to itself
  void* code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(code, kLoop, sizeof kLoop);
  pthread_t t;
  pthread_create(&t, NULL, worker, code);
  pthread_join(t, NULL);
  return 0;
}
