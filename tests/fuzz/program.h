#pragma once
// Small thread programs as data: the language of `./dev fuzz`. Nothing here comes from src/, and nothing there is used: what the
// explorer beside it says must not repeat a mistake of the tool.
#include <cstdint>
#include <string>
#include <vector>

namespace fuzz {

inline constexpr int kMaxThreads = 5;
inline constexpr int kMaxRegisters = 4;
inline constexpr int kMaxObjects = 4;  // of each sort
inline constexpr int kMaxVariables = 8;
inline constexpr int kMaxTimes = 6;  // d0 .. d5: 10 ms, 20 ms, ... 320 ms; each at most once, so no two deadlines come close

// Operands, by letter: m mutex, c condition, s semaphore, w rwlock, b barrier, o once, p plain variable, a atomic, t thread, r register,
// d time, e expression, k comparison, i integer.
enum class Kind : uint8_t {
  kLock,
  kUnlock,
  kTryLock,
  kTimedLock,
  kWait,
  kTimedWait,
  kSignal,
  kBroadcast,
  kSemWait,
  kSemPost,
  kSemTry,
  kSemTimed,
  kReadLock,
  kWriteLock,
  kTryRead,
  kTryWrite,
  kTimedRead,
  kTimedWrite,
  kRwUnlock,
  kBarrier,
  kOnce,
  kLoad,
  kStore,
  kAtomicLoad,
  kAtomicStore,
  kAtomicAdd,
  kAtomicCas,
  kSleep,
  kYield,
  kCreate,
  kJoin,
  kIf,
  kWhile,
  kEnd,
  kAssert,
  kNever,
};

struct KindRow {
  Kind kind;
  const char* word;
  const char* operands;
};
const KindRow& row(Kind kind);

struct Expression {
  int reg = -1;  // -1: the constant alone
  int constant = 0;
};

struct Comparison {
  char sort = 'r';  // a register, or in `never` a plain variable or an atomic
  int index = 0;
  char op = '=';  // = equal, ! unequal, < less
  int constant = 0;
};

// One statement. A register that says how a try or a timed call ended is 1 for success and 0 for failure.
struct Statement {
  Kind kind = Kind::kYield;
  int reg = -1;
  int object = -1;
  int second = -1;  // the mutex of a wait, the variable of a once
  int time = -1;
  int from = 0;  // compare-and-swap: the expected value
  Expression value;
  Comparison condition;
  std::vector<Comparison> outcome;  // never: all of these at once
  int jump = -1;                    // if and while: behind the end; end: back to the while, or -1
};

struct Program {
  std::string name;
  std::vector<std::vector<Statement>> threads;  // 0 is main
  std::vector<int> semaphores = std::vector<int>(kMaxObjects, 0);
  std::vector<int> barriers = std::vector<int>(kMaxObjects, 2);
  // Matches ifs and ends, and says what is wrong, if something is.
  std::string settle();
  bool is_timed() const;
};

std::string print(const Program& program);
// Programs one after the other, each headed `program NAME`. On an error the result is empty and `error` says why.
std::vector<Program> parse(const std::string& text, std::string* error);

// One C file with all of the programs; the first argument chooses. `lines[p][t][i]` becomes the line of a statement.
std::string emit_c(const std::vector<Program>& programs, std::vector<std::vector<std::vector<int>>>* lines);

Program generate(uint64_t seed, uint64_t index);

// T1.4: the fifth statement of thread 1.
std::string place(int thread, int statement);

}  // namespace fuzz
