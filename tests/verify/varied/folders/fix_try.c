// verify: fixed
// Tries the second one, and lets the first one go where it is taken.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

struct folder {
  pthread_mutex_t lock;
  int files;
};
static struct folder folders[2] = {{PTHREAD_MUTEX_INITIALIZER, 3}, {PTHREAD_MUTEX_INITIALIZER, 3}};

static void move_file(struct folder* from, struct folder* to) {
  pthread_mutex_lock(&from->lock);
  while (pthread_mutex_trylock(&to->lock) != 0) {
    pthread_mutex_unlock(&from->lock);
    sched_yield();
    pthread_mutex_lock(&from->lock);
  }
  --from->files;
  ++to->files;
  pthread_mutex_unlock(&to->lock);
  pthread_mutex_unlock(&from->lock);
}

static void* there(void* arg) {
  (void)arg;
  move_file(&folders[0], &folders[1]);
  return NULL;
}

static void* back(void* arg) {
  (void)arg;
  move_file(&folders[1], &folders[0]);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, there, NULL);
  pthread_create(&b, NULL, back, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  printf("%d %d\n", folders[0].files, folders[1].files);
  return folders[0].files + folders[1].files == 6 ? 0 : 1;
}
