#include "exec/guard.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "wire/channel.h"

namespace heddle::exec {

namespace {

int g_to_guard = -1;

// In the guard, a copy of a threaded tool: nothing here may allocate or lock.
struct Guard {
  std::array<pid_t, 64> groups{};  // the last ones
  size_t count = 0;
  pid_t tool;

  explicit Guard(pid_t of) : tool(of) {}

  // A negative number: forget it.
  void take_word(pid_t group) {
    if (group < 0) {
      std::replace(groups.begin(), groups.end(), -group, 0);
    } else {
      groups[count++ % groups.size()] = group;
    }
  }

  static ssize_t read_file(const char* name, const char* file, char* text, size_t room) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%s/%s", name, file);
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    size_t done = 0;
    for (ssize_t n = 0; done < room && (n = ::read(fd, text + done, room - done)) > 0;) done += static_cast<size_t>(n);
    ::close(fd);
    return static_cast<ssize_t>(done);
  }

  bool has_marker(const char* name) const {
    static char text[1 << 18];
    const size_t name_length = std::strlen(kChannelVariable);
    const ssize_t size = read_file(name, "environ", text, sizeof text - 1);
    if (size > 0) text[size] = 0;
    for (const char* at = text; size > 0 && at < text + size;) {
      const auto left = static_cast<size_t>(text + size - at);
      if (left > name_length + 1 && std::memcmp(at, kChannelVariable, name_length) == 0 && at[name_length] == '=')
        return std::strtol(at + name_length + 1, nullptr, 10) == tool;
      const void* end = std::memchr(at, 0, left);
      if (end == nullptr) break;
      at = static_cast<const char*>(end) + 1;
    }
    return false;
  }

  bool in_group(const char* name) const {
    char text[512];
    const ssize_t size = read_file(name, "stat", text, sizeof text - 1);
    if (size <= 0) return false;
    text[size] = 0;
    const char* after = std::strrchr(text, ')');
    char state = 0;
    int parent = 0;
    pid_t group = 0;
    if (after == nullptr || std::sscanf(after + 1, " %c %d %d", &state, &parent, &group) != 3) return false;
    return state != 'Z' && group > 0 &&
           std::find(groups.begin(), groups.begin() + std::min(count, groups.size()), group) !=
               groups.begin() + std::min(count, groups.size());
  }

  // How many were there.
  int end_all() const {
    const int directory = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    alignas(8) char block[8192];
    int ended = 0;
    for (long n = 0; (n = ::syscall(SYS_getdents64, directory, block, sizeof block)) > 0;) {
      for (long at = 0; at < n;) {
        unsigned short length = 0;
        std::memcpy(&length, block + at + 16, sizeof length);
        const char* name = block + at + 19;
        at += length;
        const pid_t pid = static_cast<pid_t>(std::atoi(name));
        if (pid <= 1 || pid == ::getpid() || !(in_group(name) || has_marker(name))) continue;
        if (::kill(pid, SIGKILL) == 0) ++ended;
      }
    }
    ::close(directory);
    return ended;
  }

  [[noreturn]] void watch(int from_tool) {
    ::setsid();
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    ::dup2(from_tool, 0);
    ::syscall(SYS_close_range, 1U, ~0U, 0U);
    if (::chdir("/") != 0) ::_exit(1);
    pid_t group = 0;
    while (::read(0, &group, sizeof group) == sizeof group) take_word(group);
    // Whoever is ended may have been about to start another.
    for (int round = 0; round < 20 && end_all() != 0; ++round) ::usleep(5000);
    ::_exit(0);
  }
};

}  // namespace

void start_guard() {
  static std::once_flag once;
  std::call_once(once, [] {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    const pid_t tool = ::getpid();
    const pid_t guard = ::fork();
    if (guard == 0) Guard(tool).watch(ends[0]);
    ::close(ends[0]);
    if (guard < 0) {
      ::close(ends[1]);
      return;
    }
    g_to_guard = ends[1];
  });
}

namespace {

void tell_guard(pid_t word) {
  if (g_to_guard < 0) return;
  while (::write(g_to_guard, &word, sizeof word) < 0 && errno == EINTR) {
  }
}

}  // namespace

void guard_group(pid_t group) { tell_guard(group); }
void forget_group(pid_t group) { tell_guard(-group); }

}  // namespace heddle::exec
