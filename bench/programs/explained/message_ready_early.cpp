// The ready mark of a message is set before its body.
// heddle-bug: kind=assert,signal granularity=access class=order,atomicity set=tuned
// fix: before|after|first|last
#include <atomic>
#include <cassert>
#include <cstring>
#include <memory>
#include <thread>

struct Message {
  std::atomic<bool> ready{false};
  std::atomic<const char*> body{nullptr};
};

static void produce(Message* message) {
  message->ready = true;          // BUG
  message->body = "hello world";  // FIX
}

static void consume(Message* message) {
  while (!message->ready) std::this_thread::yield();
  assert(message->body.load() != nullptr);
}

int main() {
  auto message = std::make_unique<Message>();
  std::thread a(produce, message.get()), b(consume, message.get());
  a.join();
  b.join();
}
