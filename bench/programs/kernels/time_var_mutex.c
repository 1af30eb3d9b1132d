// A file is created by allocating an inode and then a block, a removal clears the block first; the
// creator looks at the inode under one lock and at the busy bit without the other lock.
// Stands for: "time_var_mutex" of SV-COMP pthread (after Flanagan & Qadeer's time-varying mutex example).
// Ours differs: the busy bit is atomic; the creator's second look is what the bug leaves out.
// heddle-kernel: family=time_var_mutex kind=assert granularity=sync optimum=2 class=atomicity
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t inode_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t busy_lock = PTHREAD_MUTEX_INITIALIZER;
static int inode, block;
static atomic_int busy;

static void* allocate(void* arg) {
  (void)arg;
  pthread_mutex_lock(&inode_lock);
  if (inode == 0) {
    pthread_mutex_lock(&busy_lock);
    atomic_store(&busy, 1);
    pthread_mutex_unlock(&busy_lock);
    inode = 1;
  }
#ifdef FIXED
  block = 1;
  assert(block == 1);
  pthread_mutex_unlock(&inode_lock);
#else
  pthread_mutex_unlock(&inode_lock);
  pthread_mutex_lock(&busy_lock);  // BUG
  block = 1;
  pthread_mutex_unlock(&busy_lock);
  pthread_mutex_lock(&busy_lock);
  assert(block == 1);
  pthread_mutex_unlock(&busy_lock);
#endif
  return NULL;
}

static void* deallocate(void* arg) {
  (void)arg;
#ifdef FIXED
  pthread_mutex_lock(&inode_lock);
  if (atomic_load(&busy) == 0) block = 0;
  pthread_mutex_unlock(&inode_lock);
#else
  if (atomic_load(&busy) == 0) {
    pthread_mutex_lock(&busy_lock);
    block = 0;
    pthread_mutex_unlock(&busy_lock);
  }
#endif
  return NULL;
}

int main(void) {
  pthread_t a, d;
  pthread_create(&a, NULL, allocate, NULL);
  pthread_create(&d, NULL, deallocate, NULL);
  pthread_join(a, NULL);
  pthread_join(d, NULL);
  return 0;
}
