// A reference is dropped in one atomic step and the count is looked at in another: both droppers can see zero.
// heddle-bug: kind=abort,signal granularity=access class=atomicity,uaf set=tuned
// fix: one (atomic )?step|fetch_sub|atomic|hold
#include <atomic>
#include <cstdlib>
#include <thread>

struct Buffer {
  std::atomic<int> refs{2};
  char* data = nullptr;
};

static void put(Buffer* b) {
  b->refs.fetch_sub(1);
  if (b->refs.load() == 0) {  // BUG
    std::free(b->data);
    delete b;
  }
}

int main() {
  auto* b = new Buffer;
  b->data = static_cast<char*>(std::malloc(64));
  std::thread reader([b] {
    b->data[0] = 1;
    put(b);
  });
  b->data[1] = 2;
  put(b);
  reader.join();
}
