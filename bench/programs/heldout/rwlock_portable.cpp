// A portable runtime's lock for readers and writers lets no reader in while a writer waits; a function that reads calls another that reads.
// heddle-kernel: family=rwlock_portable kind=deadlock granularity=sync class=deadlock
#include <pthread.h>

#include <thread>

class ReadWriteLock {
 public:
  void read() {
    pthread_mutex_lock(&mutex_);
#ifdef FIXED
    while (writing_ || (waiting_ > 0 && held_ == 0)) pthread_cond_wait(&changed_, &mutex_);
#else
    while (writing_ || waiting_ > 0) pthread_cond_wait(&changed_, &mutex_);  // BUG
#endif
    ++readers_;
    ++held_;
    pthread_mutex_unlock(&mutex_);
  }
  void write() {
    pthread_mutex_lock(&mutex_);
    ++waiting_;
    while (writing_ || readers_ > 0) pthread_cond_wait(&changed_, &mutex_);
    --waiting_;
    writing_ = true;
    pthread_mutex_unlock(&mutex_);
  }
  void unlock() {
    pthread_mutex_lock(&mutex_);
    if (writing_) {
      writing_ = false;
    } else {
      --readers_;
      --held_;
    }
    pthread_cond_broadcast(&changed_);
    pthread_mutex_unlock(&mutex_);
  }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
  int readers_ = 0, waiting_ = 0;
  bool writing_ = false;
  static thread_local int held_;
};
thread_local int ReadWriteLock::held_ = 0;
ReadWriteLock table;
int entries = 1;

int size() {
  table.read();
  const int n = entries;
  table.unlock();
  return n;
}

void reader() {
  table.read();
  (void)size();
  table.unlock();
}

void writer() {
  table.write();
  ++entries;
  table.unlock();
}

int main() {
  std::thread a(reader), b(writer);
  a.join();
  b.join();
}
