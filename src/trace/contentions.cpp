#include "trace/contentions.h"

#include <algorithm>
#include <set>

#include "model/condition.h"
#include "symbols/object_words.h"
#include "trace/locks.h"

namespace heddle::trace {

namespace {

struct Holding {
  uint32_t thread = 0;
  SiteId site = kNoSite;  // that took it
  bool shared = false;
  size_t released = 0;  // index of the event that gave it back
};

bool gives_back(Op op) { return is_unlock(op) || model::is_condition_wait(op); }

}  // namespace

void ContentionLog::add(const Trace& trace) {
  std::map<ObjectId, std::vector<Holding>> held;
  std::map<ObjectId, Holding> last;
  std::vector<size_t> previous(trace.threads().size(), 0);  // each thread's last event
  HeldLocks locks(trace.threads().size());
  std::set<Key> in_this_run;
  for (size_t i = 0; i < trace.events().size(); ++i) {
    const Event& e = trace.events()[i];
    const ObjectId wait_mutex = locks.mutex_of(e);
    const ObjectId lock = wait_mutex != kNoObject ? wait_mutex : e.object;
    if (takes_lock(e)) {
      const bool shared = is_shared_lock_request(e.op);
      const auto before = last.find(lock);
      if (before != last.end() && before->second.thread != e.thread && before->second.released > previous[e.thread] &&
          !(shared && before->second.shared)) {
        const Key key{lock, before->second.site, e.site};
        Seen& seen = seen_[key];
        if (const ObjectRow* row = trace.object(lock)) seen.object = *row;
        ++seen.count;
        if (in_this_run.insert(key).second) ++seen.runs;
      }
      held[lock].push_back({e.thread, e.site, shared, 0});
    } else if (gives_back(e.op)) {
      auto& holdings = held[lock];
      const auto mine = std::find_if(holdings.begin(), holdings.end(), [&](const Holding& h) { return h.thread == e.thread; });
      if (mine != holdings.end()) {
        mine->released = i;
        last[lock] = *mine;
        holdings.erase(mine);
      }
    }
    locks.step(i, e);
    previous[e.thread] = i;
  }
}

std::vector<Contention> ContentionLog::report(const Symbols& symbols) const {
  std::map<std::tuple<std::string, std::string, std::string>, Contention> merged;
  for (const auto& [key, seen] : seen_) {
    auto place = [&](SiteId site) { return site == kNoSite ? "?" : symbols.describe(site_module(site), site_offset(site)); };
    const std::string lock = seen.object.id == kNoObject ? "a lock" : object_words(symbols, seen.object);
    const std::string holder = place(std::get<1>(key));
    const std::string waiter = place(std::get<2>(key));
    Contention& c = merged[{lock, holder, waiter}];
    c.lock = lock;
    c.holder = holder;
    c.waiter = waiter;
    c.count += seen.count;
    c.runs = std::max(c.runs, seen.runs);
  }
  std::vector<Contention> all;
  for (auto& [key, contention] : merged) all.push_back(std::move(contention));
  std::stable_sort(all.begin(), all.end(), [](const Contention& a, const Contention& b) { return a.runs > b.runs; });
  return all;
}

}  // namespace heddle::trace
