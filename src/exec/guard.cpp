#include "exec/guard.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "wire/channel.h"

namespace heddle::exec {

namespace {

int g_to_guard = -1;
pid_t g_guard;
pid_t g_guarded;  // the tool; its children leave the guard alone

// Used in the guard, too, a copy of a threaded tool: nothing here may allocate or lock.

ssize_t read_of_process(const char* name, const char* file, char* text, size_t room) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%s/%s", name, file);
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  size_t done = 0;
  for (ssize_t n = 0; done < room && (n = ::read(fd, text + done, room - done)) > 0;) done += static_cast<size_t>(n);
  ::close(fd);
  text[done] = 0;
  return static_cast<ssize_t>(done);
}

// proc(5), "stat": what follows the name in parentheses.
struct Status {
  char state = 'Z';
  pid_t group = 0;
  unsigned long long start = 0;  // in ticks since the machine's start
};

Status status_of(const char* name) {
  char text[1024];
  Status s;
  if (read_of_process(name, "stat", text, sizeof text - 1) <= 0) return s;
  const char* after = std::strrchr(text, ')');
  if (after == nullptr) return s;
  std::sscanf(after + 1, " %c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &s.state, &s.group, &s.start);
  return s;
}

// Which processes come from the tool.
struct Descent {
  std::array<pid_t, 64> groups{};  // the last ones; 0: none
  size_t count = 0;
  pid_t tool;
  unsigned long long start;

  explicit Descent(pid_t of) : tool(of), start(0) {
    char name[16];
    std::snprintf(name, sizeof name, "%d", of);
    start = status_of(name).start;
  }

  void add(pid_t group) { groups[count++ % groups.size()] = group; }
  void remove(pid_t group) { std::replace(groups.begin(), groups.end(), group, 0); }

  bool has_marker(const char* name) const {
    static char text[1 << 18];
    const size_t length = std::strlen(kChannelVariable);
    const ssize_t size = read_of_process(name, "environ", text, sizeof text - 1);
    for (const char* at = text; size > 0 && at < text + size; at += std::strlen(at) + 1) {
      if (std::strncmp(at, kChannelVariable, length) == 0 && at[length] == '=') return std::strtol(at + length + 1, nullptr, 10) == tool;
    }
    return false;
  }

  // One that is older than the tool belongs to an earlier one, which had the same number.
  bool has(const char* name) const {
    const Status s = status_of(name);
    if (s.state == 'Z' || s.start < start) return false;
    return (s.group > 0 && std::find(groups.begin(), groups.end(), s.group) != groups.end()) || has_marker(name);
  }

  // True: it was one of them. The handle is taken before anything is asked, so that what was asked is true of the one that gets the signal.
  bool end(const char* name) const {
    const auto pid = static_cast<pid_t>(std::atoi(name));
    if (pid <= 1 || pid == ::getpid() || pid == tool) return false;
    const auto handle = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    const bool ours = has(name);
    if (ours && handle >= 0) ::syscall(SYS_pidfd_send_signal, handle, SIGKILL, nullptr, 0);
    if (ours && handle < 0) ::kill(pid, SIGKILL);
    if (handle >= 0) ::close(handle);
    return ours;
  }

  // How many there were.
  int end_all() const {
    const int directory = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    alignas(8) char block[8192];
    int ended = 0;
    for (long n = 0; (n = ::syscall(SYS_getdents64, directory, block, sizeof block)) > 0;) {
      for (long at = 0; at < n;) {
        unsigned short length = 0;
        std::memcpy(&length, block + at + 16, sizeof length);
        if (end(block + at + 19)) ++ended;
        at += length;
      }
    }
    ::close(directory);
    return ended;
  }

  // Whoever is ended may have been about to start another.
  void end_for_good() const {
    for (int round = 0; round < 40 && end_all() != 0; ++round) ::usleep(5000);
  }
};

[[noreturn]] void guard(Descent of, int from_tool) {
  ::setsid();
  ::prctl(PR_SET_NAME, "heddle-guard");
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::dup2(from_tool, 0);
  ::syscall(SYS_close_range, 1U, ~0U, 0U);
  if (::chdir("/") != 0) ::_exit(1);
  pid_t group = 0;
  for (ssize_t n = 0; (n = ::read(0, &group, sizeof group)) == sizeof group || (n < 0 && errno == EINTR);) {
    if (n < 0) continue;
    if (group < 0) {
      of.remove(-group);
    } else {
      of.add(group);
    }
  }
  of.end_for_good();
  ::_exit(0);
}

void tell_guard(pid_t word) {
  while (g_to_guard >= 0 && ::write(g_to_guard, &word, sizeof word) < 0 && errno == EINTR) {
  }
}

// When the tool ends by itself it waits until the guard is done, which else would be somebody else's child to bury.
void end_guard() {
  if (::getpid() != g_guarded) return;
  ::close(g_to_guard);
  g_to_guard = -1;
  while (::waitpid(g_guard, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

void start_guard() {
  static std::once_flag once;
  std::call_once(once, [] {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    g_guarded = ::getpid();
    const Descent tool(g_guarded);
    g_guard = ::fork();
    if (g_guard == 0) guard(tool, ends[0]);
    ::close(ends[0]);
    if (g_guard < 0) {
      ::close(ends[1]);
      return;
    }
    g_to_guard = ends[1];
    std::atexit(end_guard);
  });
}

void guard_group(pid_t group) { tell_guard(group); }
void forget_group(pid_t group) { tell_guard(-group); }

void end_leftovers(pid_t group) {
  Descent left(::getpid());
  left.add(group);
  left.end_for_good();
}

}  // namespace heddle::exec
