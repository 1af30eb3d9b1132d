// verify: fixed
// A lock of the buyers' own.
#include <pthread.h>

#include <cstdio>
#include <cstdlib>

class Mutex {
 public:
  void Lock() { pthread_mutex_lock(&m_); }
  void Unlock() { pthread_mutex_unlock(&m_); }

 private:
  pthread_mutex_t m_ = PTHREAD_MUTEX_INITIALIZER;
};

class MutexLock {
 public:
  explicit MutexLock(Mutex* m) : m_(m) { m_->Lock(); }
  ~MutexLock() { m_->Unlock(); }

 private:
  Mutex* m_;
};

static Mutex mutex;
static Mutex counter;
static int seats = 1;
static int sold = 0;

static bool free_seat() {
  MutexLock l(&mutex);
  return seats > 0;
}

static void take_seat() {
  MutexLock l(&mutex);
  if (seats <= 0) {
    std::fprintf(stderr, "oversold\n");
    std::exit(5);
  }
  seats = seats - 1;
  sold = sold + 1;
}

static void* buyer(void*) {
  MutexLock hold(&counter);
  if (free_seat()) take_seat();
  return nullptr;
}

int main() {
  pthread_t a, b;
  pthread_create(&a, nullptr, buyer, nullptr);
  pthread_create(&b, nullptr, buyer, nullptr);
  pthread_join(a, nullptr);
  pthread_join(b, nullptr);
  return 0;
}
