// The program becomes another one: an operation like exit. The new image runs without control, since this process's run is over.
#include <errno.h>
#include <unistd.h>

#include "runtime/names.h"
#include "runtime/real.h"
#include "runtime/real_io.h"
#include "runtime/scheduler.h"

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
  return (*cache)(arguments...);
}

}  // namespace

#define HEDDLE_EXEC(name, parameters, ...)                                     \
  HEDDLE_EXPORT int name parameters noexcept {                                 \
    static decltype(&::name) library;                                          \
    return execute(&library, #name, __builtin_return_address(0), __VA_ARGS__); \
  }
HEDDLE_EXEC(execve, (const char* a, char* const b[], char* const c[]), a, b, c)
HEDDLE_EXEC(execv, (const char* a, char* const b[]), a, b)
HEDDLE_EXEC(execvp, (const char* a, char* const b[]), a, b)
HEDDLE_EXEC(execvpe, (const char* a, char* const b[], char* const c[]), a, b, c)
HEDDLE_EXEC(fexecve, (int a, char* const b[], char* const c[]), a, b, c)
