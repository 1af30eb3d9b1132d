// One thread after the other, as many as the first argument says.
#include <pthread.h>
#include <stdlib.h>

static void* nothing(void* unused) { return unused; }

int main(int count, char** words) {
  for (int i = count > 1 ? atoi(words[1]) : 1; i > 0; --i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) != 0) return 3;
    pthread_join(thread, NULL);
  }
  return 0;
}
