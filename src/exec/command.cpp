#include "exec/command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "exec/descriptor.h"
#include "trace/error.h"

namespace heddle::exec {

namespace {

constexpr int kNotStarted = 127;
constexpr size_t kMostKept = size_t{16} << 20;  // of what it prints; the rest is read and forgotten

struct Pipe {
  Descriptor read, write;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(fmt::format("cannot create a pipe: {}", std::strerror(errno)));
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

[[noreturn]] void turn_into(const std::vector<std::string>& words, const std::string& directory, int out, int err) {
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const bool ready = nothing >= 0 && ::dup2(nothing, 0) >= 0 && ::dup2(out, 1) >= 0 && ::dup2(err, 2) >= 0 &&
                     (directory.empty() || ::chdir(directory.c_str()) == 0);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  if (ready) ::execvp(argv[0], argv.data());
  ::_exit(kNotStarted);
}

// Both at once: a program that fills one pipe must not wait for whoever reads the other.
void read_both(int out, int err, CommandResult* result) {
  pollfd ends[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  std::string* const texts[2] = {&result->out, &result->err};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    if (::poll(ends, 2, -1) < 0 && errno != EINTR) return;
    for (int i = 0; i < 2; ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      char buffer[65536];
      const ssize_t got = ::read(ends[i].fd, buffer, sizeof buffer);
      if (got > 0 && texts[i]->size() < kMostKept) texts[i]->append(buffer, static_cast<size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR)) ends[i].fd = -1;
    }
  }
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& words, const std::string& directory) {
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  const pid_t child = ::fork();
  if (child < 0) throw Error(fmt::format("cannot start {}: {}", words.front(), std::strerror(errno)));
  if (child == 0) turn_into(words, directory, out.write.get(), err.write.get());
  out.write.reset();
  err.write.reset();
  CommandResult result;
  read_both(out.read.get(), err.read.get(), &result);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (result.code == kNotStarted && result.err.empty()) throw Error(fmt::format("{} cannot be started", words.front()));
  return result;
}

}  // namespace heddle::exec
