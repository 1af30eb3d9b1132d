// verify: fixed
// The inode before the quota.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t inode = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t quota = PTHREAD_MUTEX_INITIALIZER;
static int writes, commits, charges;

static void* write_file(void* arg) {
  (void)arg;
  pthread_mutex_lock(&inode);
  pthread_mutex_lock(&journal);
  ++writes;
  pthread_mutex_unlock(&journal);
  pthread_mutex_unlock(&inode);
  return NULL;
}

static void* commit(void* arg) {
  (void)arg;
  pthread_mutex_lock(&journal);
  pthread_mutex_lock(&quota);
  ++commits;
  pthread_mutex_unlock(&quota);
  pthread_mutex_unlock(&journal);
  return NULL;
}

static void* charge(void* arg) {
  (void)arg;
  pthread_mutex_lock(&inode);
  pthread_mutex_lock(&quota);
  ++charges;
  pthread_mutex_unlock(&quota);
  pthread_mutex_unlock(&inode);
  return NULL;
}

int main(void) {
  pthread_t t[3];
  pthread_create(&t[0], NULL, write_file, NULL);
  pthread_create(&t[1], NULL, commit, NULL);
  pthread_create(&t[2], NULL, charge, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(t[i], NULL);
  printf("%d %d %d\n", writes, commits, charges);
  return 0;
}
