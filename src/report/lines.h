#pragma once
// The lines of the source that a diagnosis names: each once, with the stretch of code that belongs to it.
#include <string>
#include <vector>

#include "report/diagnosis.h"

namespace heddle::report {

class Lines {
 public:
  // `passing` and its stacks may be null. All must outlive it.
  Lines(Names& names, const Trace* passing, const Stacks* passing_stacks)
      : names_(names), trace_(names.trace()), passing_(passing), passing_stacks_(passing_stacks) {}

  // The line of an event, "T1 <what> (step 4)", with the critical section that it begins or ends.
  void event(size_t step, const std::string& what);
  // The next operation of a thread when the run ended.
  void pending(uint32_t thread, const std::string& what);
  void place(const Frame& frame, uint32_t thread, const std::string& caption, size_t step = kNoDifference);
  // The innermost line of the program's own code on that stack.
  void stack(const std::vector<SiteId>& stack, uint32_t thread, const std::string& caption);
  // From one operation of a thread to its next one, `after` (an event, or the number of events for what it never came to): the source in
  // between, or, where the two lie in different functions, the lines of the function from which both are called.
  void gap(uint32_t thread, size_t before, size_t after);

  // The line of an event that is shown already, widened: to the thread's next operation, which rests on what was read; from the one before; to
  // where the thread stood when the run ended.
  void consequence(size_t step);
  void approach(size_t step);
  void up_to_the_end(size_t step);

  std::vector<DecidingLine> take() { return std::move(lines_); }

 private:
  std::vector<Frame> pending_calls(uint32_t thread) const;
  void section(size_t step, DecidingLine& line) const;
  void rest_of_block(DecidingLine& line) const;
  void stretch(DecidingLine& line, const Frame& other) const;
  void add(DecidingLine line);
  void widen(size_t step, const std::vector<Frame>& other);

  Names& names_;
  const Trace& trace_;
  const Trace* passing_;
  const Stacks* passing_stacks_;
  std::vector<DecidingLine> lines_;
};

}  // namespace heddle::report
