#include "trace/patience.h"

namespace heddle::trace {

namespace {

thread_local const std::function<bool()>* t_over = nullptr;

}  // namespace

Patience::Patience(const std::function<bool()>& over) : before_(t_over) { t_over = over ? &over : nullptr; }
Patience::~Patience() { t_over = before_; }

void look_at_clock() {
  if (t_over != nullptr && (*t_over)()) throw OutOfTime{};
}

}  // namespace heddle::trace
