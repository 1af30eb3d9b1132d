#include "runtime/outside/trap.h"

#include <errno.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <time.h>
#include <ucontext.h>

#include "runtime/base/program_text.h"
#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/base/valgrind.h"
#include "runtime/engine/futex.h"
#include "runtime/engine/native.h"
#include "runtime/engine/run.h"
#include "runtime/outside/descriptor_call.h"
#include "runtime/outside/uring.h"

namespace heddle::rt {

namespace {

struct Range {
  uintptr_t low, high;
};
constexpr uint32_t kMaxRanges = 8;
Range g_ranges[kMaxRanges];  // the code whose calls are caught
uint32_t g_range_count;
bool g_own_futexes;  // a library that makes futex calls of its own is loaded
bool g_installed;
bool g_refused;

bool starts_with(const char* text, const char* beginning) { return strncmp(text, beginning, strlen(beginning)) == 0; }

int find_code(dl_phdr_info* info, size_t, void*) {
  const char* path = info->dlpi_name != nullptr ? info->dlpi_name : "";
  const char* slash = strrchr(path, '/');
  const char* name = slash != nullptr ? slash + 1 : path;
  const bool own_futexes = starts_with(name, "libgomp.so") || starts_with(name, "libitm.so") || starts_with(name, "liburing.so");
  if (!own_futexes && !starts_with(name, "libc.so")) return 0;
  g_own_futexes = g_own_futexes || own_futexes;
  for (int i = 0; i < info->dlpi_phnum && g_range_count < kMaxRanges; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const uintptr_t low = info->dlpi_addr + segment.p_vaddr;
    g_ranges[g_range_count++] = {low, low + segment.p_memsz};
  }
  return 0;
}

// Streams of regular files too go through here: they are no points and pay a microsecond a block.
long trapped_read(const long* a, void* pc) {
  const int fd = static_cast<int>(a[0]);
  auto* data = reinterpret_cast<void*>(a[1]);
  const auto size = static_cast<size_t>(a[2]);
  const iovec filled{data, size};
  return controlled({fd, Op::kRead, POLLIN, false, size, pc, {&filled, 1, 0, 1}}, describe(fd),
                    [&] { return sys(SYS_read, fd, data, size); });
}

// What a stream writes: to files as it is, and without a word to the detector of races, since the stream's buffer is the C library's own.
long trapped_write(const long* a, void* pc) {
  const int fd = static_cast<int>(a[0]);
  const auto size = static_cast<size_t>(a[2]);
  if (describe(fd).reach == Reach::kPlain) return sys(SYS_write, fd, a[1], size);
  void* caller = g_current->stream_caller;
  return write_under_control(fd, reinterpret_cast<const char*>(a[1]), size, caller != nullptr ? caller : pc);
}

bool anybody_waits(const void* address) {
  for (uint32_t i = 0; i < g_live_count; ++i) {
    const ThreadSlot& t = g_threads[g_live[i].slot];
    if (t.wait.on == address && !t.wait.ended) return true;
  }
  return false;
}

long trapped_futex(const long* a, void* pc) {
  auto* address = reinterpret_cast<uint32_t*>(a[0]);
  const int operation = static_cast<int>(a[1]);
  // glibc wakes without knowing whether anybody waits; where nobody does, nothing happens.
  if ((operation & FUTEX_CMD_MASK) == FUTEX_WAKE && !anybody_waits(address)) return 0;
  const long result = model_futex(address, operation, static_cast<uint32_t>(a[2]), reinterpret_cast<const timespec*>(a[3]),
                                  reinterpret_cast<uint32_t*>(a[4]), static_cast<uint32_t>(a[5]), pc);
  return result != kFutexUnknown ? result : raw_syscall(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
}

void on_trap(int, siginfo_t* info, void* context) {
  const int saved = errno;
  auto* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const long a[6] = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX], registers[REG_R10], registers[REG_R8], registers[REG_R9]};
  auto* pc = reinterpret_cast<void*>(registers[REG_RIP]);
  const bool controls = active() && g_native == 0;
  long result = 0;
  if (controls && info->si_syscall == SYS_futex) {
    result = trapped_futex(a, pc);
  } else if (controls && info->si_syscall == SYS_read) {
    result = trapped_read(a, pc);
  } else if (controls && info->si_syscall == SYS_write) {
    result = trapped_write(a, pc);
  } else if (controls && info->si_syscall == SYS_io_uring_enter) {
    result = uring_enter(a, pc);
  } else {
    result = raw_syscall(info->si_syscall, a[0], a[1], a[2], a[3], a[4], a[5]);
  }
  registers[REG_RAX] = result;
  errno = saved;
}

constexpr uint32_t kAddressLow = offsetof(seccomp_data, instruction_pointer);
constexpr uint32_t kAddressHigh = kAddressLow + 4;

// Allow, unless it is one of the calls and comes from one of the ranges.
uint32_t write_filter(sock_filter* f) {
  uint32_t n = 0;
  const auto jump = [&](uint32_t how, uint64_t against, uint8_t yes, uint8_t no) {
    f[n++] = BPF_JUMP(BPF_JMP | how | BPF_K, static_cast<uint32_t>(against), yes, no);
  };
  const auto load = [&](uint32_t offset) { f[n++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset); };
  const auto leave = [&](uint32_t verdict) { f[n++] = BPF_STMT(BPF_RET | BPF_K, verdict); };
  load(offsetof(seccomp_data, arch));
  jump(BPF_JEQ, AUDIT_ARCH_X86_64, 1, 0);
  leave(SECCOMP_RET_ALLOW);
  load(offsetof(seccomp_data, nr));
  jump(BPF_JEQ, SYS_futex, 4, 0);
  jump(BPF_JEQ, SYS_read, 3, 0);
  jump(BPF_JEQ, SYS_write, 2, 0);
  jump(BPF_JEQ, SYS_io_uring_enter, 1, 0);
  leave(SECCOMP_RET_ALLOW);
  for (uint32_t i = 0; i < g_range_count; ++i) {
    const Range& r = g_ranges[i];
    if (r.low >> 32 != (r.high - 1) >> 32) continue;
    load(kAddressHigh);
    jump(BPF_JEQ, r.low >> 32, 0, 4);
    load(kAddressLow);
    jump(BPF_JGE, r.low & 0xFFFFFFFF, 0, 2);
    jump(BPF_JGT, (r.high - 1) & 0xFFFFFFFF, 1, 0);
    leave(SECCOMP_RET_TRAP);
  }
  leave(SECCOMP_RET_ALLOW);
  return n;
}

bool install_filter() {
  sock_filter filter[17 + kMaxRanges * 6];
  const sock_fprog program{static_cast<unsigned short>(write_filter(filter)), filter};
  // Threads that are there already are caught too. With the right to do so, nothing else about the process changes.
  const auto set = [&] { return sys(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program); };
  if (set() == 0) return true;
  return sys(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && set() == 0;
}

bool install() {
  if (g_range_count == 0) dl_iterate_phdr(find_code, nullptr);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_trap;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  if (real_io().sigaction(SIGSYS, &action, nullptr) != 0) return false;
  // The kernel kills a thread that blocks SIGSYS; see kernel_mask.
  const uint64_t trap = uint64_t{1} << (SIGSYS - 1);
  sys(SYS_rt_sigprocmask, SIG_UNBLOCK, &trap, nullptr, 8);
  g_installed = install_filter();
  return g_installed;
}

// Valgrind makes the program's system calls from code of its own, which the filter does not see. There the C library's own two functions, which its streams call,
// begin with a jump.
bool controls_here() { return active() && g_native == 0; }

long inner_read(int fd, void* data, size_t size) {
  const long a[6] = {fd, reinterpret_cast<long>(data), static_cast<long>(size), 0, 0, 0};
  return with_errno(controls_here() ? trapped_read(a, __builtin_return_address(0)) : sys(SYS_read, fd, data, size));
}

long inner_write(int fd, const void* data, size_t size) {
  const long a[6] = {fd, reinterpret_cast<long>(data), static_cast<long>(size), 0, 0, 0};
  return with_errno(controls_here() ? trapped_write(a, __builtin_return_address(0)) : sys(SYS_write, fd, data, size));
}

bool lead(const char* name, long (*to)(int, void*, size_t)) {
  constexpr uintptr_t kDiscardTranslations = 0x1002;
  auto* at = next_symbol<char*>(name);
  unsigned char code[12] = {0x48, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xE0};  // mov rax, to; jmp rax
  memcpy(code + 2, &to, sizeof to);
  if (at == nullptr || !write_text(at, code, sizeof code)) return false;
  valgrind_request(kDiscardTranslations, reinterpret_cast<uintptr_t>(at), sizeof code);
  return true;
}

bool lead_streams() {
  g_installed = lead("read", inner_read) && lead("write", reinterpret_cast<long (*)(int, void*, size_t)>(inner_write));
  flush_text();
  return g_installed;
}

}  // namespace

bool catches_inner_calls() { return g_installed; }

void catch_inner_calls_again() {
  if (g_installed) g_installed = install_filter();
}

bool catch_inner_calls() {
  if (g_installed || g_refused) return g_installed;
  g_refused = under_valgrind() ? !lead_streams() : !install();
  if (g_refused) note(kNoSite, "the system refuses a seccomp filter: calls inside of libraries are not controlled");
  return g_installed;
}

void catch_stream(int fd) {
  if (g_installed || !in_world()) return;
  const DescriptorInfo info = describe(fd);
  if (info.reach != Reach::kPlain && !(info.stream && info.reach == Reach::kForeign)) catch_inner_calls();
}

void catch_where_needed() {
  g_range_count = 0;
  dl_iterate_phdr(find_code, nullptr);
  if (g_own_futexes) catch_inner_calls();
}

long randomise_addresses() {
  if (!g_installed) return -1;
  const long before = sys(SYS_personality, 0xFFFFFFFF);
  if (before >= 0) sys(SYS_personality, before & ~ADDR_NO_RANDOMIZE);
  return before;
}

ForAnotherProgram::ForAnotherProgram() : before_(randomise_addresses()) {}
ForAnotherProgram::~ForAnotherProgram() {
  if (before_ >= 0) sys(SYS_personality, before_);
}

}  // namespace heddle::rt
