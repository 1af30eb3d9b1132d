// flush() holds the recursive lock and calls drain(), which locks it again and waits: the wait gives back one of the two.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=tuned
// fix: recursive|once|twice|one level|give
#include <pthread.h>

#include <thread>

class Stream {
 public:
  Stream() {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock_, &kind);
    pthread_cond_init(&drained_, nullptr);
  }
  void flush() {
    pthread_mutex_lock(&lock_);  // BUG
    drain();
    pthread_mutex_unlock(&lock_);
  }
  void drain() {
    pthread_mutex_lock(&lock_);
    while (pending_ > 0) pthread_cond_wait(&drained_, &lock_);  // FIX
    pthread_mutex_unlock(&lock_);
  }
  void write_done() {
    pthread_mutex_lock(&lock_);
    pending_--;
    pthread_cond_broadcast(&drained_);
    pthread_mutex_unlock(&lock_);
  }

 private:
  pthread_mutex_t lock_;
  pthread_cond_t drained_;
  int pending_ = 1;
};

int main() {
  Stream stream;
  std::thread device([&] { stream.write_done(); });
  stream.flush();
  device.join();
}
