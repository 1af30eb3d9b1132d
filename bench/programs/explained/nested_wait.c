// The worker waits for room with the registry still locked, and who makes room needs the registry.
// heddle-bug: kind=deadlock granularity=sync class=deadlock,lost-wakeup set=held
// fix: release|unlock|registry
#include <pthread.h>

static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t room_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t room_made = PTHREAD_COND_INITIALIZER;
static int room = 0, users = 0;

static void take_room(void) {
  pthread_mutex_lock(&room_lock);
  while (room == 0) pthread_cond_wait(&room_made, &room_lock);  // BUG
  --room;
  pthread_mutex_unlock(&room_lock);
}

static void* join_club(void* unused) {
  pthread_mutex_lock(&registry);  // FIX
  ++users;
  take_room();
  pthread_mutex_unlock(&registry);
  return unused;
}

static void* make_room(void* unused) {
  pthread_mutex_lock(&registry);
  --users;
  pthread_mutex_unlock(&registry);
  pthread_mutex_lock(&room_lock);
  ++room;
  pthread_cond_signal(&room_made);
  pthread_mutex_unlock(&room_lock);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, join_club, NULL);
  pthread_create(&b, NULL, make_room, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
