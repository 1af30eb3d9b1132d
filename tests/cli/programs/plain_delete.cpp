// A use after `delete`, which calls free in the C++ library, not in the program.
#include <pthread.h>

struct Session {
  long id = 7;
};
static Session* volatile current;
static volatile long seen;

static void* looks(void* unused) {
  Session* mine = current;
  if (mine != nullptr) seen = mine->id;
  return unused;
}

static void* closes(void* unused) {
  Session* mine = current;
  current = nullptr;
  delete mine;
  return unused;
}

int main() {
  pthread_t t[2];
  current = new Session;
  pthread_create(&t[0], nullptr, looks, nullptr);
  pthread_create(&t[1], nullptr, closes, nullptr);
  for (pthread_t thread : t) pthread_join(thread, nullptr);
  return 0;
}
