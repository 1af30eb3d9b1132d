// A stream cut into chunks at rolling sums, duplicates found in a shared table, and the rest packed: a pipeline of three stages with bounded queues.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "places.h"

namespace {

constexpr int kInput = 60'000, kBuckets = 64, kFinders = 3, kPackers = 3;
unsigned char input[kInput];
struct Chunk {
  int from, to;
  unsigned hash;
};

class Queue {
 public:
  explicit Queue(int producers) : producers_(producers) {}
  void put(const Chunk& chunk) {
    std::unique_lock<std::mutex> lock(mutex_);
    room_.wait(lock, [&] { return chunks_.size() < 8; });
    chunks_.push_back(chunk);
    filled_.notify_one();
  }
  bool take(Chunk& chunk) {
    std::unique_lock<std::mutex> lock(mutex_);
    filled_.wait(lock, [&] { return !chunks_.empty() || producers_ == 0; });
    if (chunks_.empty()) return false;
    chunk = chunks_.front();
    chunks_.pop_front();
    room_.notify_one();
    return true;
  }
  void end() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--producers_ == 0) filled_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable room_, filled_;
  std::deque<Chunk> chunks_;
  int producers_;
};

Queue cut(1), fresh(kFinders);
struct Bucket {
  std::mutex lock;
  std::vector<Chunk> chunks;
} table[kBuckets];
std::mutex sums_lock;
int duplicates, bytes_packed, bytes_saved;

void cutter() {
  PLACE(0);
  unsigned rolling = 0;
  int from = 0;
  for (int i = 0; i < kInput; ++i) {
    rolling = (rolling << 1) + input[i];
    if ((rolling & 255) != 7 && i + 1 < kInput && i - from < 500) continue;
    PLACE(1);
    cut.put({from, i + 1, 0});
    from = i + 1;
  }
  PLACE(2);
  cut.end();
}

void finder() {
  PLACE(3);
  Chunk chunk;
  while (cut.take(chunk)) {
    PLACE(4);
    chunk.hash = 2166136261u;
    for (int i = chunk.from; i < chunk.to; ++i) chunk.hash = (chunk.hash ^ input[i]) * 16777619u;
    PLACE(5);
    Bucket& bucket = table[chunk.hash % kBuckets];
    bool known = false;
    {
      const std::lock_guard<std::mutex> guard(bucket.lock);
      for (const Chunk& c : bucket.chunks) known = known || c.hash == chunk.hash;
      if (!known) bucket.chunks.push_back(chunk);
      PLACE(6);
    }
    if (!known) {
      PLACE(7);
      fresh.put(chunk);
      continue;
    }
    PLACE(8);
    const std::lock_guard<std::mutex> guard(sums_lock);
    ++duplicates;
    bytes_saved += chunk.to - chunk.from;
  }
  PLACE(9);
  fresh.end();
}

void packer() {
  PLACE(10);
  Chunk chunk;
  while (fresh.take(chunk)) {
    PLACE(11);
    unsigned seen = 0;
    for (int i = chunk.from + 1; i < chunk.to; ++i) seen += input[i] == input[i - 1] ? 1u : 0u;
    PLACE(12);
    const std::lock_guard<std::mutex> guard(sums_lock);
    bytes_packed += chunk.to - chunk.from;
    PLACE(13);
  }
  PLACE(14);
}

}  // namespace

int main() {
  unsigned seed = 9;
  for (int i = 0; i < kInput; ++i) {
    seed = seed * 1664525u + 1013904223u;
    input[i] = i > 20'000 && i % 10'000 < 6'000 ? input[i - 20'000] : static_cast<unsigned char>(seed >> 24);
  }
  std::vector<std::thread> threads;
  threads.emplace_back(cutter);
  for (int i = 0; i < kFinders; ++i) threads.emplace_back(finder);
  for (int i = 0; i < kPackers; ++i) threads.emplace_back(packer);
  for (std::thread& t : threads) t.join();
  return bytes_packed + bytes_saved == kInput ? 0 : 1;
}
