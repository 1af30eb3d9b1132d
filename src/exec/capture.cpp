#include "exec/capture.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/descriptor.h"
#include "exec/process.h"

namespace heddle::exec {

bool Captured::exited_with(int code) const { return !late && WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == code; }

Captured capture(const Target& target, double seconds) {
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Descriptor out = memory_file("out"), err = memory_file("err");
  Launch launch;
  launch.in = nothing.get();
  launch.out = out.get();
  launch.err = err.get();
  std::vector<std::string> notes;
  Captured result;
  Process process(target, launch, notes);
  const std::optional<int> status = process.wait_for(static_cast<int>(seconds * 1000));
  result.late = !status;
  process.kill_all();
  if (status) result.wait_status = *status;
  result.out = read_from_start(out);
  result.err = read_from_start(err);
  return result;
}

}  // namespace heddle::exec
