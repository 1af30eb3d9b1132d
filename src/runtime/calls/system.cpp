// Commands that the program waits for. The C library would wait for the child where nobody sees it: the other threads would stand still.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/engine/names.h"
#include "runtime/engine/run.h"
#include "runtime/outside/delivery.h"
#include "runtime/outside/pids.h"
#include "runtime/outside/trap.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

// While commands run, the program ignores what the terminal sends to both of them.
constexpr int kIgnored[] = {SIGINT, SIGQUIT};
uint32_t g_running;
struct sigaction g_before[2];

void ignore_terminal() {
  if (g_running++ != 0) return;
  struct sigaction ignored;
  memset(&ignored, 0, sizeof ignored);
  ignored.sa_handler = SIG_IGN;
  for (int i = 0; i < 2; ++i) sigaction(kIgnored[i], &ignored, &g_before[i]);
}

void obey_terminal() {
  if (--g_running != 0) return;
  for (int i = 0; i < 2; ++i) sigaction(kIgnored[i], &g_before[i], nullptr);
}

// A cancelled thread's command goes with it, as glibc does it.
void kill_command(void* argument) {
  const pid_t child = *static_cast<pid_t*>(argument);
  const pid_t real = real_pid(child);
  int status = 0;
  sys(SYS_kill, real, SIGKILL);
  while (sys(SYS_wait4, real, &status, 0, nullptr) == -EINTR) {
  }
  child_reaped(real);
  obey_terminal();
}

int run_command(const char* command) {
  char shell[] = "sh";
  char option[] = "-c";
  char* const words[] = {shell, option, const_cast<char*>(command), nullptr};
  posix_spawnattr_t attributes;
  sigset_t standard;
  sigset_t mask;
  sigemptyset(&standard);
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  ignore_terminal();
  for (int i = 0; i < 2; ++i) {
    if (g_before[i].sa_handler != SIG_IGN) sigaddset(&standard, kIgnored[i]);
  }
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &standard);
  posix_spawnattr_setsigmask(&attributes, &mask);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  pid_t child = -1;
  const int error = posix_spawn(&child, "/bin/sh", nullptr, &attributes, words, __environ);
  posix_spawnattr_destroy(&attributes);
  int status = 127 << 8;  // as if the shell could not be found
  if (error == 0) {
    status = -1;
    pthread_cleanup_push(kill_command, &child);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    pthread_cleanup_pop(0);
  }
  obey_terminal();
  return status;
}

}  // namespace

HEDDLE_EXPORT int system(const char* command) {
  if (!active()) {
    const ForAnotherProgram starts;
    return real_io().system(command);
  }
  CalledFrom outer(__builtin_return_address(0));
  test_cancel(__builtin_return_address(0));
  if (command == nullptr) return run_command("exit 0") == 0 ? 1 : 0;
  return run_command(command);
}
