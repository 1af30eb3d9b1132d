// The program becomes another one: an operation like exit. The new image runs without control, since this process's run is over.
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/engine/names.h"
#include "runtime/engine/scheduler.h"
#include "runtime/outside/pids.h"
#include "runtime/outside/trap.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

template <typename Function, typename... Arguments>
int execute(Function* cache, const char* name, void* pc, Arguments... arguments) {
  if (*cache == nullptr) *cache = next_symbol<Function>(name);
  if (active()) {
    Pending p{};
    p.op = Op::kExec;
    p.site = caller_site(pc);
    point(p);
  }
  const ForAnotherProgram starts;
  return (*cache)(arguments...);
}

}  // namespace

#define HEDDLE_EXEC(name, parameters, ...)                                     \
  HEDDLE_EXPORT int name parameters noexcept {                                 \
    static decltype(&::name) library;                                          \
    return execute(&library, #name, __builtin_return_address(0), __VA_ARGS__); \
  }
// The forms with a list: the C library's own would not come by here.
namespace {

constexpr int kMaxWords = 4096;
struct Words {
  char* list[kMaxWords + 1];
  char* const* environment;
};

void gather(Words* words, const char* first, va_list more, bool with_environment) {
  int n = 0;
  for (const char* word = first; word != nullptr && n < kMaxWords; word = va_arg(more, const char*))
    words->list[n++] = const_cast<char*>(word);
  words->list[n] = nullptr;
  words->environment = with_environment ? va_arg(more, char* const*) : __environ;
}

}  // namespace

#define HEDDLE_EXEC_LIST(name, with_environment, call)                        \
  HEDDLE_EXPORT int name(const char* path, const char* first, ...) noexcept { \
    CalledFrom outer(__builtin_return_address(0));                            \
    Words words;                                                              \
    va_list more;                                                             \
    va_start(more, first);                                                    \
    gather(&words, first, more, with_environment);                            \
    va_end(more);                                                             \
    return call;                                                              \
  }
HEDDLE_EXEC_LIST(execl, false, execv(path, words.list))
HEDDLE_EXEC_LIST(execlp, false, execvp(path, words.list))
HEDDLE_EXEC_LIST(execle, true, execve(path, words.list, words.environment))
// The new program keeps its number.
#define HEDDLE_NUMBERS(environment) static_cast<char* const*>(NumbersForExec(environment, number_to_pass(), parent_to_pass()))
HEDDLE_EXEC(execve, (const char* a, char* const b[], char* const c[]), a, b, HEDDLE_NUMBERS(c))
HEDDLE_EXEC(execvpe, (const char* a, char* const b[], char* const c[]), a, b, HEDDLE_NUMBERS(c))
HEDDLE_EXEC(fexecve, (int a, char* const b[], char* const c[]), a, b, HEDDLE_NUMBERS(c))
HEDDLE_EXPORT int execv(const char* path, char* const words[]) noexcept {
  CalledFrom outer(__builtin_return_address(0));
  return execve(path, words, __environ);
}
HEDDLE_EXPORT int execvp(const char* path, char* const words[]) noexcept {
  CalledFrom outer(__builtin_return_address(0));
  return execvpe(path, words, __environ);
}
