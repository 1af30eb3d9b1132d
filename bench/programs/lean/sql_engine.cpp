// A database engine under a driver of ten clients, each ten times preparing a statement on one view. The
// table descriptor's map of referenced columns is tested for null in one locked step and used in the
// next; another preparation resets it in between.
// Stands for: row "Derby-10.3.2.1" of LEAN Tables 1-4 and its case study, section 5 (bug 2861, 10 threads x 10
// iterations; 11 threads).
// Ours differs: written anew; a statement asks for some columns of a table of eight, and its plan is checked.
// heddle-kernel: family=sql_engine kind=signal granularity=sync optimum=1 class=atomicity paper=lean row=Derby
#include <array>
#include <bitset>
#include <cassert>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "late.h"

namespace {

constexpr int kClients = 10, kIterations = 10;
constexpr std::size_t kColumns = 8;

using ColumnMap = std::bitset<kColumns>;

class TableDescriptor {
 public:
  void set_referenced(const ColumnMap* map) {
    std::lock_guard guard(lock_);
    referenced_ = map;
  }
  // The table's name with the columns that are referenced, or the bare name.
  std::string object_name([[maybe_unused]] bool safe) {
#ifndef FIXED
    if (!safe) return unsafe_name();
#endif
    std::lock_guard guard(lock_);
    return referenced_ ? qualified(*referenced_) : name_;
  }

 private:
  [[maybe_unused]] std::string unsafe_name() {
    if (!has_referenced()) return name_;
    return qualified(*referenced());  // BUG
  }
  bool has_referenced() {
    std::lock_guard guard(lock_);
    return referenced_ != nullptr;
  }
  const ColumnMap* referenced() {
    std::lock_guard guard(lock_);
    return referenced_;
  }
  std::string qualified(const ColumnMap& map) const { return name_ + "(" + std::to_string(map.count()) + ")"; }

  std::mutex lock_;
  const ColumnMap* referenced_ = nullptr;
  const std::string name_ = "view_source";
};

TableDescriptor view;
std::mutex plans_lock;
int plans = 0;

void prepare(int client, int number) {
  static const std::array<ColumnMap, 4> kWanted = {ColumnMap(1), ColumnMap(3), ColumnMap(7), ColumnMap(129)};
  view.set_referenced(&kWanted[static_cast<std::size_t>(client + number) % kWanted.size()]);
  std::string name = view.object_name(late_is_safe(number));
  view.set_referenced(nullptr);
  assert(name.rfind("view_source", 0) == 0);
  std::lock_guard guard(plans_lock);
  plans++;
}

void client(int me) {
  for (int i = 0; i < kIterations; i++) HEDDLE_ITERATION {
      late_work();
      prepare(me, i);
    }
}

}  // namespace

int main() {
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; i++) clients.emplace_back(client, i);
  for (std::thread& thread : clients) thread.join();
  assert(plans == kClients * kIterations);
}
