#include "exec/capture.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "exec/descriptor.h"
#include "exec/process.h"

namespace heddle::exec {

namespace {

Captured captured(const Target& target, Launch launch, std::optional<double> seconds) {
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Descriptor out = memory_file("out"), err = memory_file("err");
  launch.in = nothing.get();
  launch.out = out.get();
  launch.err = err.get();
  std::vector<std::string> notes;
  Captured result;
  Process process(target, launch, notes);
  const std::optional<int> status = seconds ? process.wait_for(static_cast<int>(*seconds * 1000)) : process.wait();
  result.late = !status;
  process.kill_all();
  if (status) result.wait_status = *status;
  result.out = read_from_start(out);
  result.err = read_from_start(err);
  return result;
}

}  // namespace

bool Captured::exited_with(int code) const { return !late && WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == code; }

int Captured::code() const { return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status); }

Captured capture(const Target& target, double seconds) { return captured(target, {}, seconds); }

Captured run_command(const std::vector<std::string>& words, const std::string& directory) {
  Launch launch;
  launch.own_group = false;
  launch.leaves_daemons = true;
  return captured(Target::found(words, directory), launch, std::nullopt);
}

}  // namespace heddle::exec
