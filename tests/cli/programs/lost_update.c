// Two threads add to a counter in two critical sections; says on stderr how many updates were lost and exits with 1.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void* add(void* arg) {
  (void)arg;
  for (int i = 0; i < 5; ++i) {
    pthread_mutex_lock(&lock);
    const int seen = counter;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    counter = seen + 1;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  char line[64] = "nothing";
  if (fgets(line, sizeof line, stdin) == NULL) line[0] = '\0';
  pthread_t a, b;
  pthread_create(&a, NULL, add, NULL);
  pthread_create(&b, NULL, add, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  printf("input %s\n", line);
  if (counter != 10) fprintf(stderr, "error: lost %d updates\n", 10 - counter);
  return counter != 10;
}
