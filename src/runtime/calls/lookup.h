#pragma once
// Look-ups of names in which the C library asks others: the answer is one input of the run, and what is done on the way is not the program's.
#include <stddef.h>
#include <stdint.h>

#include "runtime/engine/native.h"
#include "runtime/engine/run.h"
#include "runtime/memory/aside_heap.h"
#include "runtime/outside/input_log.h"

namespace heddle::rt {

// No points, no inputs of their own, and no memory among the program's.
class Unwatched {
 public:
  Unwatched() { t_managed = 0; }
  ~Unwatched() { t_managed = 1; }
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;

 private:
  const Aside aside_;
};

// `ask` writes its answer, and returns how many bytes that are, or an error below 0.
template <typename Ask>
long look_up(char* answer, size_t room, Ask ask) {
  const iovec filled{answer, room};
  const Filled all{&filled, 1, 0, 1};
  long result = 0;
  if (!replays_inputs() || !take_input(Op::kConnect, all, &result)) {
    const Native inner;
    const Unwatched meanwhile;
    result = ask();
  }
  log_input(Op::kConnect, all, result);
  return result;
}

}  // namespace heddle::rt
