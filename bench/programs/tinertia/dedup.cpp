// A deduplicating compressor as a pipeline: one thread cuts a text into chunks, seven fingerprint them,
// two look them up in the table of known chunks, one compresses new ones, one puts the result together.
// A stage asks its queue whether there is a chunk in one critical section and takes it in the next;
// another thread of the stage may have taken it, and what is taken then is a null pointer.
// Stands for: row "dedup" of Tinertia Tables 1-3 (segmentation fault, about 12 threads; PARSEC).
// Ours differs: written anew; run-length coding; the text is rebuilt from the output and compared.
// heddle-kernel: family=dedup kind=signal granularity=sync optimum=1 class=atomicity paper=tinertia row=dedup
#include <pthread.h>

#include <array>
#include <cassert>
#include <map>
#include <string>
#include <vector>

namespace {

struct Chunk {
  std::size_t index;
  std::string text;
  unsigned fingerprint = 0;
  int stage = 0;       // how many stages have taken it
  std::string packed;  // runs, or "=" and the index of the first chunk with this text
};

class Queue {
 public:
  explicit Queue(int producers) : producers_(producers) {}

  void put(Chunk* chunk) {
    pthread_mutex_lock(&lock_);
    chunks_[in_++ % kSlots] = chunk;
    count_++;
    pthread_cond_signal(&filled_);
    pthread_mutex_unlock(&lock_);
  }

  // Null when the producers are done and the queue is empty.
  Chunk* take() {
    pthread_mutex_lock(&lock_);
    while (count_ == 0 && producers_ > 0) pthread_cond_wait(&filled_, &lock_);
    if (count_ == 0) {
      pthread_mutex_unlock(&lock_);
      return nullptr;
    }
#ifndef FIXED
    pthread_mutex_unlock(&lock_);
    pthread_mutex_lock(&lock_);  // BUG
#endif
    Chunk*& slot = chunks_[out_ % kSlots];
    Chunk* chunk = slot;
    slot = nullptr;
    out_++;
    count_--;
    chunk->stage++;
    pthread_mutex_unlock(&lock_);
    return chunk;
  }

  void producer_done() {
    pthread_mutex_lock(&lock_);
    if (--producers_ == 0) pthread_cond_broadcast(&filled_);
    pthread_mutex_unlock(&lock_);
  }

 private:
  static constexpr std::size_t kSlots = 16;
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t filled_ = PTHREAD_COND_INITIALIZER;
  std::array<Chunk*, kSlots> chunks_{};
  std::size_t in_ = 0, out_ = 0;
  int count_ = 0, producers_;
};

constexpr int kFingerprinters = 7, kLookups = 2, kPackers = 1;
const std::string kText = "aaaabbbbaaaaccccbbbbddddaaaaeeee";
constexpr std::size_t kChunkSize = 4;

Queue to_fingerprint(1), to_look_up(kFingerprinters), to_pack(kLookups), to_write(kPackers + kLookups);
std::vector<Chunk> chunks;
pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;
std::map<unsigned, std::size_t> known;
std::vector<Chunk*> written;

void* cut(void*) {
  for (Chunk& chunk : chunks) to_fingerprint.put(&chunk);
  to_fingerprint.producer_done();
  return nullptr;
}

void* fingerprint(void*) {
  while (Chunk* chunk = to_fingerprint.take()) {
    for (char c : chunk->text) chunk->fingerprint = chunk->fingerprint * 31 + static_cast<unsigned char>(c);
    to_look_up.put(chunk);
  }
  to_look_up.producer_done();
  return nullptr;
}

void* look_up(void*) {
  while (Chunk* chunk = to_look_up.take()) {
    pthread_mutex_lock(&known_lock);
    auto [entry, is_new] = known.emplace(chunk->fingerprint, chunk->index);
    std::size_t first = entry->second;
    pthread_mutex_unlock(&known_lock);
    if (is_new) {
      to_pack.put(chunk);
    } else {
      chunk->packed = "=" + std::to_string(first);
      to_write.put(chunk);
    }
  }
  to_pack.producer_done();
  to_write.producer_done();
  return nullptr;
}

void* pack(void*) {
  while (Chunk* chunk = to_pack.take()) {
    for (std::size_t i = 0; i < chunk->text.size();) {
      std::size_t run = 1;
      while (i + run < chunk->text.size() && chunk->text[i + run] == chunk->text[i]) run++;
      chunk->packed += chunk->text[i] + std::to_string(run);
      i += run;
    }
    to_write.put(chunk);
  }
  to_write.producer_done();
  return nullptr;
}

void* put_together(void*) {
  while (Chunk* chunk = to_write.take()) written[chunk->index] = chunk;
  return nullptr;
}

std::string unpack(const Chunk& chunk) {
  if (chunk.packed[0] == '=') return unpack(*written[std::stoul(chunk.packed.substr(1))]);
  std::string text;
  for (std::size_t i = 0; i < chunk.packed.size(); i += 2)
    text.append(static_cast<std::size_t>(chunk.packed[i + 1] - '0'), chunk.packed[i]);
  return text;
}

}  // namespace

int main() {
  for (std::size_t at = 0; at < kText.size(); at += kChunkSize) chunks.push_back({chunks.size(), kText.substr(at, kChunkSize), 0, 0, ""});
  written.resize(chunks.size());
  std::vector<pthread_t> threads;
  auto start = [&](int count, void* (*stage)(void*)) {
    for (int i = 0; i < count; i++) pthread_create(&threads.emplace_back(), nullptr, stage, nullptr);
  };
  start(1, cut);
  start(kFingerprinters, fingerprint);
  start(kLookups, look_up);
  start(kPackers, pack);
  start(1, put_together);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  std::string rebuilt;
  for (const Chunk* chunk : written) rebuilt += unpack(*chunk);
  assert(rebuilt == kText);
}
