// Users and groups belong to the whole process: what one thread changes all have, whoever runs them.
// heddle: expect=none runs<=10 options=-D_GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t changed;
static uid_t before, wanted;

static void* looks(void* unused) {
  (void)unused;
  while (sem_wait(&changed) != 0) {
  }
  uid_t real, effective, saved;
  getresuid(&real, &effective, &saved);
  return effective == wanted ? NULL : (void*)1;
}
static void* changes(void* unused) {
  // Only a privileged process can have two users; for others all of it is as it was.
  if (setresuid((uid_t)-1, before + 1, (uid_t)-1) == 0) wanted = before + 1;
  sem_post(&changed);
  return unused;
}

int main(void) {
  before = wanted = geteuid();
  sem_init(&changed, 0, 0);
  pthread_t a, b;
  void* result = NULL;
  pthread_create(&a, NULL, looks, NULL);
  pthread_create(&b, NULL, changes, NULL);
  pthread_join(b, NULL);
  pthread_join(a, &result);
  return result == NULL && geteuid() == wanted && seteuid((uid_t)-1) == -1 ? 0 : 1;
}
