#pragma once
// What one step of a thread does to a program's state.
#include <array>
#include <functional>

#include "explore.h"

namespace fuzz {

using Word = int16_t;

enum class Life : Word { kUnborn, kLive, kEnded };

// Between the two halves of an operation that is counted as two.
enum class Phase : Word {
  kStart,   // before its first operation
  kBefore,  // before the operation of the statement at `at`
  kWoken,   // has begun to wait on a condition, or arrived at a barrier: before the other half
  kInside,  // of a once: at `at` the function's load
  kStoring,
  kLeaving,
  kReleased,  // behind an operation that lets others go on
  kEnding,    // before its end
};

struct ThreadState {
  Life life;
  Phase phase;
  Word at;
  Word signalled;
  Word deadline;  // of the timed operation it has come to
  std::array<Word, kMaxRegisters> registers;
  Word scratch;  // what the once function has read
};

// Words only, so that equal states are equal bytes.
struct State {
  std::array<ThreadState, kMaxThreads> threads;
  std::array<Word, kMaxVariables> plain;
  std::array<Word, kMaxVariables> atomic;
  std::array<Word, kMaxObjects> mutex;  // owner + 1
  std::array<Word, kMaxObjects> semaphore;
  std::array<Word, kMaxObjects> writer;   // owner + 1
  std::array<Word, kMaxObjects> readers;  // one bit a thread
  std::array<Word, kMaxObjects> arrived;
  std::array<Word, kMaxObjects> once;  // 0 fresh, 1 under way, 2 done
  Word clock;                          // in units of 10 ms
  Word early;                          // time-outs that fired although something else could run
  Word current;                        // who executed the last operation, or -1
  Word gave_way;                       // that was a yield or a sleep
};
static_assert(sizeof(State) % sizeof(Word) == 0);

enum class Can { kNo, kYes, kByTimeout };

class Machine {
 public:
  Machine(const Program& program, Points points) : program_(program), points_(points) {}

  State first() const;
  Can can(const State& s, int thread) const;
  Word deadline(const State& s, int thread) const { return s.threads[static_cast<size_t>(thread)].deadline; }

  struct Result {
    State state;
    std::string failure;  // of an assertion
    bool over = false;    // main has ended the program
  };
  // All that can come of letting this thread execute its operation: several where a signal may wake one of several.
  std::vector<Result> step(const State& s, int thread) const;

  // Does this thread, blocked, wait for somebody who waits ... for itself?
  bool closes_cycle(const State& s, int thread) const;
  std::string deadlock(const State& s) const;
  std::string outcome(const State& s) const;

 private:
  const Statement& statement(const ThreadState& t, int thread) const {
    return program_.threads[static_cast<size_t>(thread)][static_cast<size_t>(t.at)];
  }
  int holder(const State& s, int thread) const;
  bool is_point(const State& s, const Statement& statement) const;
  void arrive(Result& r, int thread) const;  // goes on to the next operation
  void perform(Result& r, int thread) const;
  void access(State& s, int thread, const Statement& statement) const;
  bool holds(const State& s, const Comparison& c, const ThreadState& t) const;
  Word value(const Expression& e, const ThreadState& t) const;
  std::vector<int> waiters(const State& s, int condition) const;

  const Program& program_;
  Points points_;
};

}  // namespace fuzz
