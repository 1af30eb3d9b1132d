// The program has functions of its own under names of the C library; what they mean inside the runtime is not their affair.
// heddle: expect=none runs<=10
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>

long syscall(long number, ...);
pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }
pid_t getpid(void) { return (pid_t)syscall(SYS_getpid); }
ssize_t read(int fd, void* data, size_t size) { return syscall(SYS_read, fd, data, size); }
ssize_t write(int fd, const void* data, size_t size) { return syscall(SYS_write, fd, data, size); }
int kill(pid_t process, int number) { return (int)syscall(SYS_kill, process, number); }
// Other things altogether.
int backtrace(void) { abort(); }
int prctl(void) { abort(); }
int fdopen(void) { abort(); }
int sem_getvalue(void) { abort(); }
int strsignal(void) { abort(); }
int getauxval(void) { abort(); }
// Names that ISO C reserves; bash has a getenv of its own, a sanitizer checks what is compared.
char* getenv(const char* name) { return *name != 0 ? abort(), NULL : NULL; }
int strcmp(const char* a, const char* b) { return a != b ? abort(), 0 : 1; }
int memcmp(const void* a, const void* b, size_t n) { return n > 0 && a != b ? abort(), 0 : 1; }
char* strrchr(const char* text, int c) { return c != *text ? abort(), NULL : NULL; }
char* strstr(const char* text, const char* part) { return text != part ? abort(), NULL : NULL; }

static void* work(void* unused) {
  (void)unused;
  return (void*)(long)gettid();
}

int main(void) {
  pthread_t thread;
  void* other = NULL;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, &other);
  return gettid() == getpid() && (long)other != gettid() && kill(getpid(), 0) == 0 && write(1, "", 0) == 0 ? 0 : 1;
}
