// Commands behind a pipe. The C library would wait for the child where nobody sees it.
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/placement.h"
#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/engine/names.h"
#include "runtime/engine/run.h"
#include "runtime/outside/descriptors.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

struct Command {
  FILE* stream;  // nullptr: free
  pid_t child;
};
constexpr uint32_t kMaxCommands = 256;
HEDDLE_APART Command g_commands[kMaxCommands];

Command* command_of(const FILE* stream) {
  for (Command& c : g_commands) {
    if (c.stream == stream) return &c;
  }
  return nullptr;
}

pid_t start_shell(const char* command, int theirs, bool reads) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirs, reads ? 1 : 0);
  char shell[] = "sh";
  char option[] = "-c";
  char* const words[] = {shell, option, const_cast<char*>(command), nullptr};
  pid_t child = -1;
  const int error = posix_spawn(&child, "/bin/sh", &actions, nullptr, words, __environ);
  posix_spawn_file_actions_destroy(&actions);
  errno = error;
  return error == 0 ? child : -1;
}

}  // namespace

HEDDLE_EXPORT FILE* popen(const char* command, const char* mode) {
  if (!active()) return real_io().popen(command, mode);
  CalledFrom outer(__builtin_return_address(0));
  const bool reads = mode[0] == 'r';
  if (!reads && mode[0] != 'w') {
    errno = EINVAL;
    return nullptr;
  }
  if (command_of(nullptr) == nullptr) {
    errno = EMFILE;
    return nullptr;
  }
  int ends[2];
  // Other commands must not inherit our end, or this one would never see its input's end.
  if (pipe2(ends, O_CLOEXEC) != 0) return nullptr;
  const int ours = ends[reads ? 0 : 1];
  const int theirs = ends[reads ? 1 : 0];
  const pid_t child = start_shell(command, theirs, reads);
  const int error = errno;
  close(theirs);
  FILE* stream = child > 0 ? fdopen(ours, reads ? "r" : "w") : nullptr;
  if (stream == nullptr) {
    close(ours);
    errno = error;
    return nullptr;
  }
  if (strchr(mode, 'e') == nullptr) fcntl(ours, F_SETFD, 0);
  // Only now: another thread may have started a command since, and taken a row. Where it was the last one, the C library's pclose is none the wiser.
  if (Command* row = command_of(nullptr)) *row = {stream, child};
  return stream;
}

HEDDLE_EXPORT int pclose(FILE* stream) {
  Command* row = active() ? command_of(stream) : nullptr;
  if (row == nullptr) {
    static decltype(&::pclose) library;
    if (library == nullptr) library = next_symbol<decltype(&::pclose)>("pclose");
    return library(stream);
  }
  CalledFrom outer(__builtin_return_address(0));
  const pid_t child = row->child;
  row->stream = nullptr;
  fclose(stream);
  int status = -1;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return status;
}
