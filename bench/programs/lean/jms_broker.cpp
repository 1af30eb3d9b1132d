// A message broker under a test driver of 20 clients, each ten times opening a session, publishing and
// closing; fifteen threads of the broker deliver. A session is entered in the broker's table before its
// listener has been set, and a message delivered in between goes to a listener that is not there.
// Stands for: row "OpenJMS-0.7.7" of LEAN Tables 1-4 (order violation, 20 threads x 10 iterations; 36 threads in all).
// Ours differs: written anew; topics are numbers; every message must be delivered or dropped, and is counted.
// heddle-kernel: family=jms_broker kind=signal granularity=sync optimum=1 class=order paper=lean row=OpenJMS
#include <array>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "late.h"

namespace {

constexpr int kClients = 20, kIterations = 10, kDeliverers = 15, kTopics = 4;

struct Listener {
  int received = 0;
  virtual ~Listener() = default;
  virtual void on_message(int) { received++; }
};

struct Session {
  std::mutex lock;
  Listener* listener = nullptr;
};

struct Message {
  int topic, body;
};

class Broker {
 public:
  void subscribe(int topic, Session* session) {
    std::lock_guard guard(table_lock_);
    table_[topic] = session;
  }
  void unsubscribe(int topic, Session* session) {
    std::lock_guard guard(table_lock_);
    auto entry = table_.find(topic);
    if (entry != table_.end() && entry->second == session) table_.erase(entry);
  }
  void publish(Message message) {
    std::lock_guard guard(queue_lock_);
    queue_.push_back(message);
    queued_.notify_one();
  }
  void stop() {
    std::lock_guard guard(queue_lock_);
    stopping_ = true;
    queued_.notify_all();
  }
  void deliver_all() {
    for (;;) HEDDLE_ITERATION {
        Message message{};
        {
          std::unique_lock guard(queue_lock_);
          while (queue_.empty() && !stopping_) queued_.wait(guard);
          if (queue_.empty()) return;
          message = queue_.front();
          queue_.pop_front();
        }
        deliver(message);
      }
  }
  int handled() {
    std::lock_guard guard(table_lock_);
    return delivered_ + dropped_;
  }

 private:
  void deliver(const Message& message) {
    std::lock_guard guard(table_lock_);  // held on purpose: a session must not close under its listener
    auto entry = table_.find(message.topic);
    if (entry == table_.end()) {
      dropped_++;
      return;
    }
    std::lock_guard session_guard(entry->second->lock);
    entry->second->listener->on_message(message.body);
    delivered_++;
  }

  std::mutex table_lock_, queue_lock_;
  std::condition_variable queued_;
  std::map<int, Session*> table_;
  std::deque<Message> queue_;
  bool stopping_ = false;
  int delivered_ = 0, dropped_ = 0;
};

Broker broker;

void client(int me) {
#ifdef FIXED
  constexpr bool kFixed = true;
#else
  constexpr bool kFixed = false;
#endif
  for (int i = 0; i < kIterations; i++) HEDDLE_ITERATION {
      late_work();
      const bool safe = kFixed || late_is_safe(i);
      Session session;
      Listener listener;
      auto set_listener = [&] {
        std::lock_guard guard(session.lock);
        session.listener = &listener;
      };
      if (safe) set_listener();
      broker.subscribe(me % kTopics, &session);  // BUG
      if (!safe) set_listener();
      broker.publish({(me + i) % kTopics, i});
      broker.unsubscribe(me % kTopics, &session);
    }
}

}  // namespace

int main() {
  std::vector<std::thread> deliverers, clients;
  for (int i = 0; i < kDeliverers; i++) deliverers.emplace_back([] { broker.deliver_all(); });
  for (int i = 0; i < kClients; i++) clients.emplace_back(client, i);
  for (std::thread& thread : clients) thread.join();
  broker.stop();
  for (std::thread& thread : deliverers) thread.join();
  assert(broker.handled() == kClients * kIterations);
}
