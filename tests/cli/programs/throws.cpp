// A thread throws what nobody catches.
#include <stdexcept>
#include <thread>

int main() {
  std::thread([] { throw std::out_of_range("too far"); }).join();
}
