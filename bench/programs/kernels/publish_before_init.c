// A parent links a new task into the shared list before it has set the task's function; the worker
// that finds it calls through a null pointer.
// Stands for: order violations by early publication (Lu et al. 2008; Mozilla and MySQL examples there).
// Ours differs: linking and setting stand in two critical sections, so it shows at sync points.
// heddle-kernel: family=publish kind=signal granularity=sync optimum=1 class=order
#include <pthread.h>
#include <stddef.h>

struct task {
  int (*run)(int);
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t task_lock = PTHREAD_MUTEX_INITIALIZER;
static struct task task;
static struct task* list;
static int result;

static int work(int x) { return x + 1; }

static void link_task(void) {
  pthread_mutex_lock(&list_lock);
  list = &task;
  pthread_mutex_unlock(&list_lock);
}

static void set_task(void) {
  pthread_mutex_lock(&task_lock);
  task.run = work;
  pthread_mutex_unlock(&task_lock);
}

static void* parent(void* arg) {
  (void)arg;
#ifdef FIXED
  set_task();
  link_task();
#else
  link_task();  // BUG
  set_task();
#endif
  return NULL;
}

static void* worker(void* arg) {
  (void)arg;
  pthread_mutex_lock(&list_lock);
  struct task* mine = list;
  list = NULL;
  pthread_mutex_unlock(&list_lock);
  if (mine) {
    pthread_mutex_lock(&task_lock);
    result = mine->run(1);
    pthread_mutex_unlock(&task_lock);
  }
  return NULL;
}

int main(void) {
  pthread_t p, w;
  pthread_create(&p, NULL, parent, NULL);
  pthread_create(&w, NULL, worker, NULL);
  pthread_join(p, NULL);
  pthread_join(w, NULL);
  return result != 0 && result != 2;
}
