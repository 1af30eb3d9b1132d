// Sessions are visited with the lock released around each visit; the iterator does not survive that.
// heddle-bug: kind=assert,signal,abort granularity=access class=uaf,atomicity,order set=tuned
// fix: lock|copy|hold|before|wait|while
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Session {
  int id;
  bool closed = false;
};

static std::mutex lock;
static std::vector<std::unique_ptr<Session>> sessions;
static std::vector<std::unique_ptr<Session>> graveyard;

static void visit_all() {
  std::unique_lock<std::mutex> hold(lock);
  for (size_t i = 0; i < sessions.size(); ++i) {
    Session* s = sessions[i].get();
    hold.unlock();       // BUG
    assert(!s->closed);  // BUG
    hold.lock();
  }
}

static void close_first() {
  std::lock_guard<std::mutex> hold(lock);
  sessions.front()->closed = true;
  graveyard.push_back(std::move(sessions.front()));
  sessions.erase(sessions.begin());
}

int main() {
  for (int i = 0; i < 2; ++i) sessions.push_back(std::make_unique<Session>(Session{i}));
  std::thread visitor(visit_all), closer(close_first);
  visitor.join();
  closer.join();
}
