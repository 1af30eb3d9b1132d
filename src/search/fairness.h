#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "trace/enabled.h"

namespace heddle::search {

// The fair order of Musuvathi & Qadeer, PLDI 2008, algorithm 1: a thread that yields falls behind every thread that could have run since
// its last yield and did not. A yield counts once its thread has come to the same place kPatience times before: a program may
// yield now and then without waiting for anybody. Fed along a trace.
class Fairness {
 public:
  static constexpr uint32_t kPatience = 3;
  explicit Fairness(size_t threads);
  // Must this thread give way to one of the enabled ones?
  bool behind(uint32_t thread, const std::vector<uint32_t>& enabled) const;
  // After the event; the enabled threads before and after it.
  void step(const Event& event, const std::vector<uint32_t>& before, const std::vector<uint32_t>& after);
  uint64_t hash() const;

 private:
  struct State {
    std::set<uint32_t> behind;        // those who go first
    std::set<uint32_t> continuously;  // enabled ever since its last yield
    std::set<uint32_t> disabled;      // by itself since then
    std::set<uint32_t> scheduled;     // since then
    bool begun = false;               // has yielded before
    std::map<SiteId, uint32_t> yields;
  };
  std::vector<State> threads_;
  bool any_ = false;
};

}  // namespace heddle::search
