// A parallel block compressor: main cuts the input into blocks and queues them, five consumers compress,
// a writer waits for all blocks and puts them out in order. When the writer is done main takes the
// queue's mutex away without waiting for the consumers; one of them may have seen it a moment before.
// Stands for: row "pbzip2" of Tinertia Tables 1-3 and its Fig. 7 (segmentation fault, 7 threads); fails only when
// memory accesses are scheduling points.
// Ours differs: written anew; run-length coding in memory; the output is expanded and compared; the mutex is
// taken out of the queue but not destroyed, so that the null pointer is the only way to fail.
// heddle-kernel: family=pbzip2 kind=signal granularity=access optimum=1 class=uaf paper=tinertia row=pbzip2
#include <pthread.h>

#include <array>
#include <atomic>
#include <cassert>
#include <string>

namespace {

constexpr int kConsumers = 5;
constexpr std::size_t kBlocks = 16;
constexpr std::size_t kBlockSize = 33;

struct Queue {
  std::atomic<pthread_mutex_t*> mutex{nullptr};
  std::array<std::size_t, kBlocks> blocks{};
  std::size_t head = 0, tail = 0;
  bool producer_done = false;
};

Queue fifo;
pthread_mutex_t queue_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
std::string input;
std::array<std::string, kBlocks> output;
std::array<std::atomic<bool>, kBlocks> ready;
std::atomic<std::size_t> bytes_in{0}, bytes_out{0};

pthread_mutex_t written_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t block_ready = PTHREAD_COND_INITIALIZER;
std::string written;

std::string compress(const std::string& text) {
  std::string packed;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t run = 1;
    while (i + run < text.size() && text[i + run] == text[i]) run++;
    packed += text[i];
    packed += static_cast<char>('0' + run);
    i += run;
    bytes_in += run;  // the progress display reads these
    bytes_out += 2;
  }
  return packed;
}

void* consumer(void*) {
#ifdef FIXED
  pthread_mutex_t* mutex = fifo.mutex.load();
#else
  pthread_mutex_t* mutex = nullptr;
#endif
  for (;;) {
#ifndef FIXED
    if (!fifo.mutex.load()) return nullptr;
    mutex = fifo.mutex.load();  // BUG
#endif
    pthread_mutex_lock(mutex);
    while (fifo.head == fifo.tail && !fifo.producer_done) pthread_cond_wait(&not_empty, mutex);
    if (fifo.head == fifo.tail) {
      pthread_mutex_unlock(mutex);
      return nullptr;
    }
    std::size_t block = fifo.blocks[fifo.head++];
    pthread_mutex_unlock(mutex);
    output[block] = compress(input.substr(block * kBlockSize, kBlockSize));
    ready[block] = true;
    if (bytes_in.load() == input.size()) {  // the last to finish tells the writer
      pthread_mutex_lock(&written_lock);
      pthread_cond_signal(&block_ready);
      pthread_mutex_unlock(&written_lock);
    }
  }
}

bool all_ready() {
  for (auto& r : ready)
    if (!r) return false;
  return true;
}

void* writer(void*) {
  pthread_mutex_lock(&written_lock);
  while (!all_ready()) pthread_cond_wait(&block_ready, &written_lock);
  for (const std::string& packed : output) written += packed;
  pthread_mutex_unlock(&written_lock);
  return nullptr;
}

void produce() {
  for (std::size_t i = 0; i < kBlocks; i++) {
    pthread_mutex_lock(&queue_mutex);
    fifo.blocks[fifo.tail++] = i;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&queue_mutex);
  }
  pthread_mutex_lock(&queue_mutex);
  fifo.producer_done = true;
  pthread_cond_broadcast(&not_empty);
  pthread_mutex_unlock(&queue_mutex);
}

}  // namespace

int main() {
  for (std::size_t i = 0; i < kBlocks * kBlockSize; i++) input += static_cast<char>('a' + i / 5 % 7);
  fifo.mutex = &queue_mutex;
  produce();  // reads ahead: the input is in memory
  std::array<pthread_t, kConsumers> consumers;
  pthread_t output_thread;
  for (pthread_t& thread : consumers) pthread_create(&thread, nullptr, consumer, nullptr);
  pthread_create(&output_thread, nullptr, writer, nullptr);
  pthread_join(output_thread, nullptr);
#ifdef FIXED
  for (pthread_t thread : consumers) pthread_join(thread, nullptr);
  fifo.mutex = nullptr;
#else
  fifo.mutex = nullptr;
  for (pthread_t thread : consumers) pthread_join(thread, nullptr);
#endif
  std::string expanded;
  for (std::size_t i = 0; i < written.size(); i += 2) expanded.append(static_cast<std::size_t>(written[i + 1] - '0'), written[i]);
  assert(expanded == input);
}
