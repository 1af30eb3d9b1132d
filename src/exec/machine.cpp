#include "exec/machine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include "exec/descriptor.h"
#include "exec/process.h"
#include "exec/valgrind.h"

namespace heddle::exec {

namespace {

bool in_a_child(const std::function<bool()>& attempt) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(attempt() ? 0 : 1);
  int status = 0;
  if (child < 0) return false;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool can_filter() {
  sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{1, allow};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

bool can_collapse() {
  constexpr size_t kHuge = size_t{2} << 20;
  void* at = ::mmap(nullptr, 2 * kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return false;
  auto* start = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(at) + kHuge - 1) & ~(kHuge - 1));
  *start = 1;
  constexpr int kCollapse = 25;  // MADV_COLLAPSE, Linux 6.1
  return ::madvise(start, kHuge, kCollapse) == 0;
}

bool can_count() {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.exclude_kernel = 1;
  const Descriptor counter(static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
  return static_cast<bool>(counter);
}

bool can_share_memory() {
  const Descriptor file(::memfd_create("heddle-doctor", MFD_CLOEXEC));
  if (!file) return false;
  const std::string path = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file.get());
  return in_a_child([&] {
    const Descriptor again(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    return static_cast<bool>(again);
  });
}

// What a run does to the kernel is seen by it: see runtime/process/rewind.h.
bool can_dispatch_calls() {
  constexpr int kSetDispatch = 59, kOn = 1;  // PR_SET_SYSCALL_USER_DISPATCH, Linux 5.11
  static char allow = 0;
  return ::prctl(kSetDispatch, kOn, 0, 0, &allow) == 0;
}

bool can_use_fsbase() {
  constexpr unsigned long kFsGsBase = 2;  // HWCAP2_FSGSBASE
  return (::getauxval(AT_HWCAP2) & kFsGsBase) != 0;
}

}  // namespace

std::vector<int> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<size_t>(core), &set)) cores.push_back(core);
  }
  return cores;
}

std::vector<Ability> machine_abilities() {
  std::vector<Ability> all;
  all.push_back({"shared memory reached through /proc", can_share_memory(), true, "nothing can be controlled"});
  all.push_back({"fixed addresses (personality)", can_fix_addresses(), false, "programs that depend on addresses may not replay"});
  all.push_back({"fast thread-pointer switch (FSGSBASE)", can_use_fsbase(), false, "a switch costs a system call"});
  all.push_back({"user and mount namespaces", in_a_child([] { return ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0; }), false,
                 "files that runs write are not kept apart by mounts"});
  all.push_back({"seccomp filters", in_a_child(can_filter), false, "system calls made without libc cannot be caught"});
  all.push_back({"system calls dispatched to the program", in_a_child(can_dispatch_calls), false, "every run is a process of its own"});
  all.push_back({"huge pages collapsed on request", in_a_child(can_collapse), false, "forking a program with much memory is slower"});
  all.push_back({"performance counters", in_a_child(can_count), false, "benchmarks show no counts"});
  const ValgrindTool tool = find_valgrind_tool();
  all.push_back({"Heddle's Valgrind tool", tool.present(), false,
                 fmt::format("accesses of programs that are not built with heddle-cc are not seen ({})", tool.missing)});
  all.push_back({"a core for each worker", usable_cores().size() > 1, false, "workers share one core"});
  return all;
}

}  // namespace heddle::exec
