#include "runtime/process/rewind.h"

#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#include "runtime/base/call_effects.h"
#include "runtime/base/context.h"
#include "runtime/base/mappings.h"
#include "runtime/base/memory_map.h"
#include "runtime/base/sys.h"
#include "runtime/base/valgrind.h"
#include "runtime/engine/carrier.h"
#include "runtime/engine/outside_influence.h"
#include "runtime/engine/repeated_state.h"
#include "runtime/engine/run.h"
#include "runtime/outside/delivery.h"
#include "runtime/outside/signals.h"
#include "runtime/outside/trap.h"
#include "runtime/process/recreate_descriptors.h"
#include "runtime/process/server.h"
#include "wire/servers.h"

namespace heddle::rt {

namespace {

constexpr uintptr_t kPageBytes = 4096;
constexpr uint32_t kMaxPages = 8192;            // copying more is no better than a fork
constexpr uint32_t kPageSlots = 2 * kMaxPages;  // of the table by address
constexpr uint32_t kMaxMappings = 32;
constexpr long kMaxOwn = 1024;  // descriptors
// A child that dies for pages which no run before it had, or for a question that took as long as a fork, costs one; a run that had
// nothing to ask earns one.
constexpr uint32_t kCredit = 40;
constexpr uint64_t kLongQuestion = 65536;  // pages
constexpr uint32_t kMostTraps = 300;       // in one run: a trapped call costs ten times an ordinary one

struct Span {
  uintptr_t low, high;
  bool holds(uintptr_t from, uintptr_t to) const { return from >= low && to <= high; }
};

// Shared by a server and its children, and by nobody else.
struct Keeper {
  HeddleMark mark;  // in the server's function
  uintptr_t fs_base;
  uint64_t signal_mask;
  uintptr_t program_break;  // the server's
  // The run's; the process's, which stays as high as any run of its has brought it; and the highest of all children's: pages up to there may
  // be among those that are put back.
  uintptr_t break_seen, break_reached, break_most;
  uint32_t row;
  uint32_t pool;      // donors that stood ready when the child was forked
  int32_t child;      // that may be used again, or 0
  uint32_t taken;     // the last request
  uint32_t answered;  // the last that the child has answered
  bool hopeless;      // it does not work with this program
  bool between;       // the child puts its memory back
  bool ended;         // the child has said how its last run ended, and dies for another reason
  int status;
  volatile char selector;  // of the dispatch: whether calls from outside of our code are ours to decide
  bool marked;             // the run has left something behind
  uint32_t traps;          // in this run
  uint64_t faults;         // of the process when its run began
  uint32_t credit;
  uint64_t asked;       // pages, in this run
  uint32_t page_count;  // known
  uint32_t copied;      // of them by the server, for this child
  uint32_t mapping_count;
  Span mappings[kMaxMappings];  // made by this run
  uint64_t own[kMaxOwn / 64];   // descriptors that it has opened and not closed
  uintptr_t pages[kMaxPages];
  bool zero[kMaxPages];
  uintptr_t by_address[kPageSlots];
  uint64_t entries[512];
  char text[1 << 16];
  alignas(64) char stack[1 << 16];
  alignas(kPageBytes) char copies[kMaxPages][kPageBytes];
};
Keeper* g_keeper;
bool g_in_child;  // and its run has begun
Span g_own_code;

constexpr char kAllow = 0, kBlock = 1;

// Every call that comes from outside of our code is ours to decide from now on, while the selector says so.
bool dispatch_calls() {
  constexpr int kSetDispatch = 59, kOn = 1;  // PR_SET_SYSCALL_USER_DISPATCH
  return sys(SYS_prctl, kSetDispatch, kOn, g_own_code.low, g_own_code.high - g_own_code.low, &g_keeper->selector) == 0;
}

int find_own_code(dl_phdr_info* info, size_t, void*) {
  const auto here = reinterpret_cast<uintptr_t>(&find_own_code);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const uintptr_t low = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || here < low || here >= low + segment.p_memsz) continue;
    g_own_code = {low, low + segment.p_memsz};
    return 1;
  }
  return 0;
}

// --- what a run does to the kernel

void leave_effect(long n) {
  if (!g_keeper->marked) servers_of(g_run.control).mark = static_cast<uint32_t>(n);
  g_keeper->marked = true;
}

bool is_own(uintptr_t from, uintptr_t bytes) {
  const Keeper* k = g_keeper;
  for (uint32_t i = 0; i < k->mapping_count; ++i) {
    if (k->mappings[i].holds(from, from + bytes)) return true;
  }
  return false;
}

// The heap that one run has had is not given back: the next one would have to fault for it again. Its pages are among those that are put
// back, as zeros.
long move_break(uintptr_t wanted) {
  Keeper* k = g_keeper;
  if (wanted < k->break_seen || wanted > k->break_reached) {
    if (wanted == 0) return static_cast<long>(k->break_seen);
    const auto now = static_cast<uintptr_t>(raw_syscall(SYS_brk, static_cast<long>(wanted), 0, 0, 0, 0, 0));
    if (now != wanted) return static_cast<long>(k->break_seen);
    k->break_reached = now;
    if (now > k->break_most) k->break_most = now;
  }
  k->break_seen = wanted;
  return static_cast<long>(wanted);
}

// After the call.
bool memory_can_be_put_back(long n, const long* a, long result) {
  Keeper* k = g_keeper;
  const auto at = static_cast<uintptr_t>(a[0]);
  const auto bytes = (static_cast<uintptr_t>(a[1]) + kPageBytes - 1) & ~(kPageBytes - 1);
  switch (n) {
    case SYS_brk: return k->break_seen >= k->program_break;
    case SYS_mmap:
      if ((a[3] & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0) return is_own(at, bytes);
      if (result < 0 && result > -4096) return true;
      if (k->mapping_count == kMaxMappings) return false;
      k->mappings[k->mapping_count++] = {static_cast<uintptr_t>(result), static_cast<uintptr_t>(result) + bytes};
      return true;
    default: return is_own(at, bytes);
  }
}

bool is_own_descriptor(long fd) { return fd >= 0 && fd < kMaxOwn && (g_keeper->own[fd / 64] >> (fd % 64) & 1) != 0; }

bool own_descriptor(long fd) {
  if (fd < 0) return true;
  if (fd >= kMaxOwn) return false;
  g_keeper->own[fd / 64] |= uint64_t{1} << (fd % 64);
  return true;
}

bool opened_can_be_closed(long n, const long* a, long result) {
  if (n != SYS_pipe && n != SYS_pipe2 && n != SYS_socketpair) return own_descriptor(result);
  if (result != 0) return true;
  const int* ends = reinterpret_cast<const int*>(n == SYS_socketpair ? a[3] : a[0]);
  return own_descriptor(ends[0]) && own_descriptor(ends[1]);
}

bool was_own(long n, const long* a, long result) {
  if (!is_own_descriptor(a[0])) return result < 0;
  if (n == SYS_close) g_keeper->own[a[0] / 64] &= ~(uint64_t{1} << (a[0] % 64));
  return true;
}

// After the call: whether the next run can begin as if it had not been made.
bool can_be_undone(CallEffect effect, long n, const long* a, long result) {
  switch (effect) {
    case CallEffect::kNone: return true;
    case CallEffect::kMemory: return memory_can_be_put_back(n, a, result);
    case CallEffect::kOpens: return opened_can_be_closed(n, a, result);
    case CallEffect::kOwn: return was_own(n, a, result);
    case CallEffect::kLasting: return false;
  }
  return false;
}

struct KernelAction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)();
  uint64_t mask;
};

bool ends_by_abort(long n, const long* a) {
  return n == SYS_tgkill && a[2] == SIGABRT && !has_handler(SIGABRT) && g_run.header->outcome.kind != OutcomeKind::kUnknown;
}

// The mask that the program has just set is the one to return with; but a dispatched call under a blocked SIGSYS is the process's death.
void return_with_mask(ucontext_t* context) {
  uint64_t mask = 0;
  sys(SYS_rt_sigprocmask, 0, nullptr, &mask, 8);
  mask = kernel_mask(mask);
  memcpy(&context->uc_sigmask, &mask, sizeof mask);
}

void on_dispatch(int, siginfo_t* info, void* context) {
  Keeper* k = g_keeper;
  auto* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const long a[6] = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX], registers[REG_R10], registers[REG_R8], registers[REG_R9]};
  const long n = info->si_syscall;
  if (n == SYS_exit_group) end_child((static_cast<int>(a[0]) & 0xFF) << 8);
  if (ends_by_abort(n, a)) end_child(SIGABRT);
  if (g_influence_watched) saw_call();
  const CallEffect effect = effect_of(n, a[1], a[2]);
  if (effect != CallEffect::kLasting && n != SYS_exit_group && ++k->traps < kMostTraps) {
    const long result = n == SYS_brk ? move_break(static_cast<uintptr_t>(a[0])) : raw_syscall(n, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (!can_be_undone(effect, n, a, result)) leave_effect(n);
    registers[REG_RAX] = result;
    if (n == SYS_rt_sigprocmask && result == 0 && a[1] != 0) return_with_mask(static_cast<ucontext_t*>(context));
    return;
  }
  // From here on nothing is looked at: the process ends with its run. The call is made again, by the one who made it.
  leave_effect(n);
  k->selector = kAllow;
  registers[REG_RAX] = n;
  registers[REG_RIP] -= 2;
}

// --- pages

uint32_t slot_of_page(uintptr_t page) { return static_cast<uint32_t>((page >> 12) * 0x9E3779B97F4A7C15 >> 40) % kPageSlots; }

bool is_known(uintptr_t page) {
  uint32_t slot = slot_of_page(page);
  for (; g_keeper->by_address[slot] != 0; slot = (slot + 1) % kPageSlots) {
    if (g_keeper->by_address[slot] == page) return true;
  }
  return false;
}

void learn_page(uintptr_t page) {
  Keeper* k = g_keeper;
  if (k->page_count == kMaxPages || is_known(page)) return;
  uint32_t slot = slot_of_page(page);
  while (k->by_address[slot] != 0) slot = (slot + 1) % kPageSlots;
  k->by_address[slot] = page;
  k->pages[k->page_count++] = page;
}

// Those of the span that this process has to itself: written since the fork, or not there before.
void learn_span(long pagemap, uintptr_t low, uintptr_t high) {
  constexpr uint64_t kPresent = uint64_t{1} << 63, kSwapped = uint64_t{1} << 62, kOfFile = uint64_t{1} << 61, kAlone = uint64_t{1} << 56;
  Keeper* k = g_keeper;
  while (low < high) {
    const uintptr_t count = (high - low) / kPageBytes < 512 ? (high - low) / kPageBytes : 512;
    const long n = sys(SYS_pread64, pagemap, k->entries, count * 8, low / kPageBytes * 8);
    if (n <= 0) return;
    k->asked += count;
    for (long i = 0; i < n / 8; ++i) {
      const uint64_t e = k->entries[i];
      const bool written = (e & kSwapped) != 0 || ((e & kPresent) != 0 && (e & kAlone) != 0 && (e & kOfFile) == 0);
      const uintptr_t page = low + static_cast<uintptr_t>(i) * kPageBytes;
      // What the run has mapped itself goes with it. The kernel joins it with what lies beside it.
      if (written && !is_own(page, kPageBytes)) learn_page(page);
    }
    low += count * kPageBytes;
  }
}

// False: it could not be asked.
bool learn_pages() {
  const long pagemap = sys(SYS_open, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0);
  if (pagemap < 0) return false;
  bool known = true;
  const bool read = for_each_mapping(g_keeper->text, [&](const Mapping& m) {
    if (!m.writable() || !m.is_private()) return;
    if (m.is_reservation()) {
      known = known && for_each_part_in_use(pagemap, m.low, m.high, [&](uintptr_t low, uintptr_t high) { learn_span(pagemap, low, high); });
    } else {
      learn_span(pagemap, m.low, m.high);
    }
  });
  sys(SYS_close, pagemap);
  return read && known && g_keeper->page_count < kMaxPages;
}

// No call of a function: some of the pages are those by which functions of other libraries are found.
void put_pages_back() {
  Keeper* k = g_keeper;
  const uint32_t count = k->copied;
  for (uint32_t i = 0; i < count; ++i) {
    auto* to = reinterpret_cast<uint64_t*>(k->pages[i]);
    const char* from = k->copies[i];
    uint64_t words = kPageBytes / 8;
    if (k->zero[i]) {
      asm volatile("rep stosq" : "+D"(to), "+c"(words) : "a"(0) : "memory");
    } else {
      asm volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
    }
  }
}

// The server's: as the child that is about to be forked will have them.
void copy_pages() {
  Keeper* k = g_keeper;
  for (uint32_t i = 0; i < k->page_count; ++i) {
    const uintptr_t page = k->pages[i];
    unsigned char resident;
    bool zero = true;
    // What is not mapped here (a stack has grown) was never written before the run.
    if (sys(SYS_mincore, page, kPageBytes, &resident) == 0) {
      const auto* words = reinterpret_cast<const uint64_t*>(page);
      for (uintptr_t n = 0; n < kPageBytes / 8 && zero; ++n) zero = words[n] == 0;
      if (!zero) memcpy(k->copies[i], words, kPageBytes);
    }
    k->zero[i] = zero;
  }
  k->copied = k->page_count;
}

uint64_t faults_so_far() {
  rusage used;
  sys(SYS_getrusage, RUSAGE_SELF, &used);
  return static_cast<uint64_t>(used.ru_minflt) + static_cast<uint64_t>(used.ru_majflt);
}

void undo_calls() {
  Keeper* k = g_keeper;
  for (long word = 0; word < kMaxOwn / 64; ++word) {
    for (; k->own[word] != 0; k->own[word] &= k->own[word] - 1) sys(SYS_close, word * 64 + __builtin_ctzll(k->own[word]));
  }
  for (uint32_t i = 0; i < k->mapping_count; ++i) sys(SYS_munmap, k->mappings[i].low, k->mappings[i].high - k->mappings[i].low);
  k->mapping_count = 0;
}

void begin_dispatch() {
  Keeper* k = g_keeper;
  k->mapping_count = 0;
  k->traps = 0;
  k->asked = 0;
  k->marked = false;
  k->break_seen = k->program_break;
  k->selector = kBlock;
}

[[noreturn]] void die() {
  sys(SYS_exit_group, 0);
  __builtin_unreachable();
}

// On a stack of its own: those of the run are put back too.
[[noreturn]] void go_round(long status) {
  Keeper* k = g_keeper;
  g_in_child = false;
  k->status = static_cast<int>(status);
  if (faults_so_far() != k->faults) {
    const uint32_t known = k->page_count;
    const bool answered = learn_pages();
    if (k->page_count != known || k->asked > kLongQuestion) --k->credit;
    k->hopeless = k->hopeless || !answered || k->credit == 0;
    if (k->hopeless || k->page_count != known) {
      k->ended = true;
      die();
    }
  } else if (k->credit < kCredit) {
    ++k->credit;
  }
  undo_calls();
  finish_request(k->taken, k->status);
  k->answered = k->taken;
  const uint32_t next = await_request(k->row, k->taken, sys(SYS_getppid));
  // The server itself takes what is no run, and what needs more donors than stood ready.
  if (!is_plain_run() || (k->row == 0 && donors_wanted() > k->pool)) die();
  k->taken = next;
  k->between = true;
  begin_request(k->row);
  put_pages_back();
  k->between = false;
  k->faults = faults_so_far();
  sys(SYS_rt_sigprocmask, SIG_SETMASK, &k->signal_mask, nullptr, 8);
  constexpr int kSetFs = 0x1002;
  sys(SYS_arch_prctl, kSetFs, k->fs_base);
  ++servers_of(g_run.control).without_fork;
  heddle_come_back(&k->mark);
}

}  // namespace

void left_effect(CallEffect effect, long n, const long* a, long result) {
  if (g_in_child && !can_be_undone(effect, n, a, result)) leave_effect(n);
}

void forget_rewind() {
  g_in_child = false;
  if (g_keeper != nullptr) {
    sys(SYS_munmap, g_keeper, sizeof(Keeper));
    forget_own_memory(g_keeper);
  }
  g_keeper = nullptr;
}

HeddleMark* begin_rewind(uint32_t row) {
  if (under_valgrind()) return nullptr;  // which has no dispatch of calls
  if (g_run.carrier != Carrier::kFiber || catches_inner_calls() || g_run.control->debugger != 0 || !recreates_descriptors_again())
    return nullptr;
  if (dl_iterate_phdr(find_own_code, nullptr) == 0) return nullptr;
  const long at = sys(SYS_mmap, 0, sizeof(Keeper), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at < 0 && at > -4096) return nullptr;
  auto* k = reinterpret_cast<Keeper*>(at);
  note_own_memory(k, sizeof(Keeper), true);
  constexpr int kGetFs = 0x1003;
  sys(SYS_arch_prctl, kGetFs, &k->fs_base);
  sys(SYS_rt_sigprocmask, 0, nullptr, &k->signal_mask, 8);
  k->row = row;
  k->credit = kCredit;
  g_keeper = k;
  return &k->mark;
}

void before_child(uint32_t taken) {
  Keeper* k = g_keeper;
  if (k == nullptr) return;
  k->child = 0;
  k->taken = taken;
  k->answered = taken - 1;
  k->ended = false;
  k->pool = pooled_donors();
  k->program_break = k->break_reached = static_cast<uintptr_t>(sys(SYS_brk, 0));
  copy_pages();
}

void begin_child() {
  Keeper* k = g_keeper;
  if (k == nullptr || k->hopeless) return;
  const auto me = static_cast<int32_t>(sys(SYS_getpid));
  if (k->child != me) {
    const KernelAction action{on_dispatch, SA_SIGINFO | SA_NODEFER | 0x04000000 /* SA_RESTORER */, heddle_signal_return, 0};
    // Without it a run could leave things behind that nobody sees.
    if (sys(SYS_rt_sigaction, SIGSYS, &action, nullptr, 8) != 0 || !dispatch_calls()) {
      k->hopeless = true;
      return;
    }
    k->child = me;
    k->faults = 0;  // a first run always asks for its pages
    if (k->break_most > k->program_break)
      k->break_reached = static_cast<uintptr_t>(raw_syscall(SYS_brk, static_cast<long>(k->break_most), 0, 0, 0, 0, 0));
    memset(k->own, 0, sizeof k->own);
  }
  g_in_child = true;
  begin_dispatch();
}

void stop_all_calls() { g_keeper->selector = kBlock; }

bool is_used_again() { return g_keeper != nullptr && g_keeper->child == static_cast<int32_t>(sys(SYS_getpid)); }

void end_child(int status) {
  Keeper* k = g_keeper;
  if (k == nullptr || k->child == 0 || k->marked || !is_used_again()) return;
  stop_looking(g_current);
  uint64_t pending = 0;
  sys(SYS_rt_sigpending, &pending, 8);
  if (pending != 0) return;
  heddle_call_on(k->stack + sizeof k->stack, go_round, status);
}

ChildEnd after_child(uint32_t taken, int* status) {
  Keeper* k = g_keeper;
  if (k == nullptr) return {taken, false};
  if (k->between) {
    // The run has not begun: it is made by another child.
    k->between = false;
    k->hopeless = true;
    return {k->taken - 1, true};
  }
  if (k->ended) *status = k->status;
  return {k->taken, k->answered == k->taken};
}

}  // namespace heddle::rt
