// Two threads append to one vector.
#include <atomic>
#include <thread>
#include <vector>

static std::vector<int> values = [] {
  std::vector<int> v;
  v.reserve(16);
  return v;
}();

static void one() { values.push_back(1); }
static void two() { values.push_back(2); }

int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
  return 0;
}
