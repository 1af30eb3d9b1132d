// Order numbers come from a plain counter in an object that two clerks share.
// heddle-bug: kind=assert granularity=access class=race,atomicity set=held
// fix: lock|atomic
#include <cassert>
#include <thread>

class Orders {
 public:
  int next() { return ++last_; }  // BUG

 private:
  int last_ = 100;
};

int main() {
  Orders orders;
  int a = 0, b = 0;
  std::thread first([&] { a = orders.next(); });
  std::thread second([&] { b = orders.next(); });
  first.join();
  second.join();
  assert(a != b);
}
