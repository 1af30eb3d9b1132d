// A container of web applications under a driver of ten clients with ten requests each, and two threads
// of its own. A class is entered in the loader's table when its loading begins and its code is set when
// it ends; a second client that finds the entry takes it for loaded and calls code that is not there.
// Stands for: row "Tomcat-5.5" of LEAN Tables 1-4 (bug 37458 in the class loader, 10 threads x 10 iterations; 13 threads).
// Ours differs: written anew; classes are functions; every answer is checked.
// heddle-kernel: family=web_container kind=signal granularity=sync optimum=1 class=order paper=lean row=Tomcat
#include <array>
#include <cassert>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "late.h"

namespace {

constexpr int kClients = 10, kIterations = 10;

using Code = int (*)(int);

struct LoadedClass {
  Code code = nullptr;
};

int servlet_double(int x) { return 2 * x; }
int servlet_square(int x) { return x * x; }
int servlet_negate(int x) { return -x; }

Code find_code(const std::string& name) {
  if (name == "double") return servlet_double;
  return name == "square" ? servlet_square : servlet_negate;
}

class Loader {
 public:
  Code load(const std::string& name, bool safe) {
    LoadedClass* entry = nullptr;
    bool mine = false;
    {
      std::lock_guard guard(lock_);
      auto& slot = classes_[name];
      if (!slot) {
        slot = std::make_unique<LoadedClass>();
        mine = true;
      }
      entry = slot.get();
      if (mine && safe) entry->code = find_code(name);
    }
    if (mine && !safe) {
      std::lock_guard guard(lock_);
      entry->code = find_code(name);  // BUG
    }
    return code_of(entry);
  }
  void unload_all() {  // what redeployment does, while no request is in a servlet of the application
    std::lock_guard guard(lock_);
    retired_.push_back(std::move(classes_));
    classes_.clear();
  }

 private:
  Code code_of(const LoadedClass* entry) {
    std::lock_guard guard(lock_);
    return entry->code;
  }
  std::mutex lock_;
  std::map<std::string, std::unique_ptr<LoadedClass>> classes_;
  std::vector<std::map<std::string, std::unique_ptr<LoadedClass>>> retired_;
};

Loader loader;
std::mutex access_lock;
std::condition_variable access_added;
std::vector<int> access_log;
bool stopping = false;

void request(int client, int number) {
  static const std::array<std::string, 3> kServlets = {"double", "square", "negate"};
  const std::string& servlet = kServlets[static_cast<std::size_t>(client + number) % kServlets.size()];
#ifdef FIXED
  constexpr bool kFixed = true;
#else
  constexpr bool kFixed = false;
#endif
  int answer = loader.load(servlet, kFixed || late_is_safe(number))(number);
  assert(answer == find_code(servlet)(number));
  std::lock_guard guard(access_lock);
  access_log.push_back(client);
  access_added.notify_one();
}

void client(int me) {
  for (int i = 0; i < kIterations; i++) HEDDLE_ITERATION {
      late_work();
      request(me, i);
    }
}

void count_accesses(int* counted) {
  std::unique_lock guard(access_lock);
  while (!stopping || !access_log.empty()) {
    *counted += static_cast<int>(access_log.size());
    access_log.clear();
    if (!stopping) access_added.wait(guard);
  }
}

}  // namespace

int main() {
  int counted = 0;
  std::thread logger(count_accesses, &counted), deployer([] {
    for (int i = 0; i <= LATE; i++) late_work();  // not before the requests that may fail
    loader.unload_all();
  });
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; i++) clients.emplace_back(client, i);
  for (std::thread& thread : clients) thread.join();
  {
    std::lock_guard guard(access_lock);
    stopping = true;
    access_added.notify_one();
  }
  logger.join();
  deployer.join();
  assert(counted == kClients * kIterations);
}
