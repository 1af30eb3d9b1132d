#include "exec/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "exec/descriptor.h"
#include "exec/file_view.h"
#include "exec/guard.h"
#include "exec/inheritance.h"
#include "trace/error.h"
#include "wire/inherited.h"

namespace heddle::exec {

namespace {

enum class Stage : int { kFixAddresses, kView, kDirectory, kExecute };
struct Complaint {
  Stage stage;
  int error;
};

std::vector<std::string> environment_of(const Target& target, const Launch& launch) {
  std::vector<std::string> all;
  for (const std::string& entry : target.environment) {
    bool replaced = false;
    for (const auto& [name, value] : launch.variables) replaced |= entry.starts_with(name + "=");
    if (!replaced) all.push_back(entry);
  }
  for (const auto& [name, value] : launch.variables) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// Between fork and exec of a threaded tool: nothing here may allocate or lock.
struct Child {
  const char* program;
  const char* directory;
  char* const* arguments;
  char* const* environment;
  const Launch* launch;
  int complaints;
  pid_t tool;

  void complain(Stage stage) const {
    const Complaint c{stage, errno};
    if (::write(complaints, &c, sizeof c) < 0) ::_exit(125);
  }

  [[noreturn]] void become() const {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != tool) ::_exit(125);  // the tool died before the line above
    if (launch->own_group || launch->apart) ::setpgid(0, 0);
    const int persona = ::personality(0xFFFFFFFF);
    if (persona < 0 || ::personality(static_cast<unsigned>(persona) | ADDR_NO_RANDOMIZE) < 0) complain(Stage::kFixAddresses);
    const int wanted[3] = {launch->in, launch->out, launch->err};
    for (int fd = 0; fd < 3; ++fd) {
      if (wanted[fd] >= 0) ::dup2(wanted[fd], fd);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (launch->view != nullptr && launch->view->hides_the_tool() && launch->channel >= 0) ::dup2(launch->channel, kInheritedChannel);
    for (int i = 0; i < 2; ++i) {
      if (launch->shown[i] >= 0) ::dup2(launch->shown[i], kShownDescriptor + i);
    }
    hand_on(launch->out >= 0);
    if (launch->view != nullptr && !launch->view->enter()) {
      complain(Stage::kView);
      ::_exit(125);
    }
    if (::chdir(directory) != 0) {
      complain(Stage::kDirectory);
      ::_exit(125);
    }
    ::execve(program, arguments, environment);
    complain(Stage::kExecute);
    ::_exit(125);
  }
};

}  // namespace

Process::Process(const Target& target, const Launch& launch, std::vector<std::string>& notes)
    : own_group_(launch.own_group), leaves_daemons_(launch.leaves_daemons) {
  check_room(launch.view != nullptr && launch.view->hides_the_tool());
  if (launch.out >= 0 && file_size_limited())
    notes.push_back("the limit of file sizes (ulimit -f) does not hold for the program during a search");
  std::vector<std::string> arguments = target.arguments;
  std::vector<std::string> environment = environment_of(target, launch);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(fmt::format("cannot create a pipe: {}", std::strerror(errno)));
  Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const Child child{target.program.c_str(), target.directory.c_str(), argv.data(), envp.data(), &launch, writing.get(), ::getpid()};
  start_guard();
  pid_ = ::fork();
  if (pid_ < 0) throw Error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (pid_ == 0) child.become();
  leads_group_ = own_group_ || launch.apart;
  if (leads_group_) {
    ::setpgid(pid_, pid_);  // both sides, so that it is true before either goes on
    guard_group(pid_);
  }
  writing.reset();
  Complaint complaint{};
  while (true) {
    const ssize_t n = ::read(reading.get(), &complaint, sizeof complaint);
    if (n < 0 && errno == EINTR) continue;
    if (n != sizeof complaint) break;
    switch (complaint.stage) {
      case Stage::kFixAddresses:
        notes.push_back("the system refuses to fix addresses (personality): a program that depends on them may not replay");
        break;
      case Stage::kView: throw Error(fmt::format("cannot enter the view of files: {}", std::strerror(complaint.error)));
      case Stage::kDirectory: throw Error(fmt::format("{}: {}", target.directory, std::strerror(complaint.error)));
      case Stage::kExecute: throw Error(fmt::format("{}: cannot be executed: {}", target.program, std::strerror(complaint.error)));
    }
  }
}

Process::~Process() {
  kill_all();
  wait();
  if (pid_ <= 0) return;
  if (!own_group_ && !leaves_daemons_) end_leftovers(leads_group_ ? pid_ : 0);
  if (leads_group_) forget_group(pid_);
  ::waitpid(pid_, nullptr, 0);
}

void Process::kill_all() {
  if (pid_ <= 0) return;
  if (own_group_) ::kill(-pid_, SIGKILL);
  if (!status_) ::kill(pid_, SIGKILL);
}

// The process stays a zombie until the destructor: its number, and so its group's, cannot be given to somebody else before the
// group has been killed.
std::optional<int> Process::look(int options) {
  siginfo_t info{};
  if (status_ || pid_ <= 0) return status_;
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | options) != 0) {
    if (errno != EINTR) status_ = 0;
    return status_;
  }
  if (info.si_pid != pid_) return status_;
  status_ = info.si_code == CLD_EXITED ? (info.si_status & 0xFF) << 8 : info.si_status | (info.si_code == CLD_DUMPED ? 0x80 : 0);
  return status_;
}

std::optional<int> Process::ended() { return look(WNOHANG); }

int Process::wait() {
  while (!status_ && pid_ > 0) look(0);
  return status_.value_or(0);
}

std::optional<int> Process::wait_for(int milliseconds) {
  if (ended()) return status_;
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  if (handle) {
    pollfd waiting{handle.get(), POLLIN, 0};
    ::poll(&waiting, 1, milliseconds);
  } else {
    ::usleep(1000);
  }
  return ended();
}

std::string describe_status(int status) {
  if (WIFEXITED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
  if (WIFSIGNALED(status)) return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return fmt::format("status {:#x}", status);
}

bool can_fix_addresses() {
  static const bool can = [] {
    const int before = ::personality(0xFFFFFFFF);
    if (before < 0 || ::personality(static_cast<unsigned>(before) | ADDR_NO_RANDOMIZE) < 0) return false;
    ::personality(static_cast<unsigned>(before));
    return true;
  }();
  return can;
}

}  // namespace heddle::exec
