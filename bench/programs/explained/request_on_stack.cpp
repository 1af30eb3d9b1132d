// The client waits on a request of its own stack; the server still touches it after it has said that it is done.
// heddle-bug: kind=assert,signal,abort granularity=access class=uaf,order set=held
// fix: before|last|wait|end|under
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct Request {
  std::atomic<bool> done{false};
  std::atomic<bool> alive{true};
  int result = 0;
  int served_by = 0;
  ~Request() { alive = false; }
};

static std::atomic<Request*> inbox{nullptr};

static void server() {
  Request* r = nullptr;
  while ((r = inbox.load()) == nullptr) std::this_thread::yield();
  r->result = 7;
  r->done = true;    // BUG
  assert(r->alive);  // BUG
  r->served_by = 1;
}

static int client() {
  auto r = std::make_unique<Request>();
  inbox = r.get();
  while (!r->done) std::this_thread::yield();
  const int result = r->result;
  r->~Request();  // FIX
  r.release();
  return result;
}

int main() {
  std::thread s(server);
  const int got = client();
  s.join();
  return got == 7 ? 0 : 1;
}
