// lastElement() on a vector with locked operations asks for the size and then for the element; a
// clear() in between makes the index invalid and the access throws.
// Stands for: JDK 1.1 Vector (lastIndexOf and copy constructor), "Vector" of Flanagan & Qadeer 2003.
// Ours differs: std::vector::at, so the failure is an uncaught exception.
// heddle-kernel: family=vector_last kind=exception granularity=sync optimum=1 class=atomicity
#include <mutex>
#include <thread>
#include <vector>

namespace {

class SafeVector {
 public:
  std::size_t size() {
    std::lock_guard guard(lock_);
    return elements_.size();
  }
  int at(std::size_t index) {
    std::lock_guard guard(lock_);
    return elements_.at(index);
  }
  void clear() {
    std::lock_guard guard(lock_);
    elements_.clear();
  }
  int last_or(int otherwise) {
#ifdef FIXED
    std::lock_guard guard(lock_);
    return elements_.empty() ? otherwise : elements_.back();
#else
    std::size_t count = size();
    return count == 0 ? otherwise : at(count - 1);  // BUG
#endif
  }

 private:
  std::mutex lock_;
  std::vector<int> elements_{1, 2, 3};
};

}  // namespace

int main() {
  SafeVector vector;
  int last = 0;
  std::thread reader([&] { last = vector.last_or(-1); });
  std::thread clearer([&] { vector.clear(); });
  reader.join();
  clearer.join();
  return last != 3 && last != -1;
}
