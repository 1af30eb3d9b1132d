#include "runtime/outside/pids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/placement.h"
#include "runtime/base/sys.h"
#include "runtime/engine/run.h"

namespace heddle::rt {

namespace {

constexpr const char* kNumbersVariable = "HEDDLE_NUMBERS";  // "<own>:<parent's>", and ":+" where LD_PRELOAD is ours, too
constexpr size_t kVariableLength = 14;

// The kernel's numbers end below 4194304.
constexpr pid_t kProgramParent = 4195000;
constexpr pid_t kFirstPid = 4196000;
constexpr pid_t kPids = 5000;
// A child's number, with room for its threads' above it. Children of children have places of their own.
constexpr pid_t kFirstChild = 5000000;
constexpr pid_t kThreadsOfChild = 20000;
constexpr uint32_t kChildPlaces = 50000;
constexpr uint32_t kMaxChildren = 1024;

struct Child {
  pid_t real;
  pid_t seen;
  bool others;  // known from before a fork: a sibling, not a child of this process
  bool ended;   // waited for; a signal that tells of it may still be on its way
};
HEDDLE_APART Child g_children[kMaxChildren];
uint32_t g_child_count;
uint32_t g_births;
uint32_t g_lost;      // children beyond the table
uint32_t g_expected;  // children that are being made
bool g_forked;        // this process is itself a child that the program made

struct Numbers {
  pid_t self;         // 0: the real one
  pid_t parent;       // 0: the real one
  pid_t home;         // the first process of the run itself, which the run may be a copy of; 0: this is none of a run
  pid_t real_parent;  // at the fork
  bool forked;        // of a run, but not its first process: its parent is one of the program's, too
};
Numbers g_numbers;

pid_t raw_pid() { return static_cast<pid_t>(sys(SYS_getpid)); }

// The process that the tool started, or a copy of it.
bool is_first() { return g_numbers.home != 0 && !g_numbers.forked; }

uint32_t first_place(pid_t self) {
  if (self < kFirstChild) return 0;
  return static_cast<uint32_t>(mix(static_cast<uint64_t>(self), 1) % kChildPlaces);
}

const Child* with_real(pid_t real) {
  for (uint32_t i = 0; i < g_child_count; ++i) {
    if (g_children[i].real == real) return &g_children[i];
  }
  return nullptr;
}

const Child* with_seen(pid_t seen) {
  for (uint32_t i = 0; i < g_child_count; ++i) {
    if (g_children[i].seen == seen && !g_children[i].ended) return &g_children[i];
  }
  return nullptr;
}

bool is_variable(const char* entry) { return strncmp(entry, kNumbersVariable, kVariableLength) == 0 && entry[kVariableLength] == '='; }

// How we came into this process, for children whose environment does not say it.
HEDDLE_APART char g_preload[4096];  // "LD_PRELOAD=..."; empty: not known
constexpr size_t kPreloadLength = 11;

bool is_preload(const char* entry) { return strncmp(entry, "LD_PRELOAD=", kPreloadLength) == 0; }

// What the parent added is not the program's to see. In place: main gets the same list.
void hide_variables(bool preload) {
  char** kept = __environ;
  for (char** entry = __environ; *entry != nullptr; ++entry) {
    if (!is_variable(*entry) && !(preload && is_preload(*entry))) *kept++ = *entry;
  }
  *kept = nullptr;
}

// A number at the start of the text, and where it ends; 0: none.
pid_t number_at(const char* text, const char** end) {
  pid_t number = 0;
  const char* at = text;
  for (; *at >= '0' && *at <= '9' && number < 100000000; ++at) number = number * 10 + (*at - '0');
  *end = at;
  return at != text && (*at == 0 || *at == '/') ? number : 0;
}

}  // namespace

void inherit_numbers() {
  for (char** entry = __environ; *entry != nullptr && g_preload[0] == 0; ++entry) {
    if (is_preload(*entry) && strlen(*entry) < sizeof g_preload) strcpy(g_preload, *entry);
  }
  const char* text = getenv(kNumbersVariable);
  if (text == nullptr) return;
  const char* colon = strchr(text, ':');
  g_numbers.self = static_cast<pid_t>(strtol(text, nullptr, 10));
  g_numbers.parent = colon != nullptr ? static_cast<pid_t>(strtol(colon + 1, nullptr, 10)) : 0;
  g_numbers.real_parent = static_cast<pid_t>(sys(SYS_getppid));
  hide_variables(strchr(text, '+') != nullptr);
}

void name_this_process(uint64_t env_seed) {
  g_numbers.home = raw_pid();
  if (env_seed == 0 || g_numbers.self != 0) return;
  g_numbers.self = kFirstPid + static_cast<pid_t>(mix(env_seed, 2) % kPids);
  g_numbers.parent = kProgramParent;
}

void name_child(pid_t seen, bool of_run) {
  const pid_t parent = g_numbers.self;
  g_numbers = {seen, parent, of_run ? raw_pid() : 0, static_cast<pid_t>(sys(SYS_getppid)), of_run};
  for (uint32_t i = 0; i < g_child_count; ++i) g_children[i].others = true;
  g_births = g_lost = g_expected = 0;
  g_forked = true;
}

void number_process_anew() {
  g_numbers.home = raw_pid();
  g_numbers.real_parent = static_cast<pid_t>(sys(SYS_getppid));
}

pid_t program_pid() { return g_numbers.self != 0 ? g_numbers.self : raw_pid(); }

pid_t program_parent() {
  const auto real = static_cast<pid_t>(sys(SYS_getppid));
  if (g_numbers.parent == 0) return real;
  // A copy of the program's process has another parent; a child process whose parent has died has none of ours.
  const bool copy = g_numbers.home != 0 && raw_pid() != g_numbers.home;
  return copy || is_first() || real == g_numbers.real_parent ? g_numbers.parent : real;
}

pid_t program_tid(const ThreadSlot& thread) {
  if (g_numbers.self == 0 && !g_run.forked_copy) return thread.tid;
  return program_pid() + static_cast<pid_t>(thread.index);
}

pid_t own_tid() {
  if (active()) return program_tid(*g_current);
  const auto real = static_cast<pid_t>(sys(SYS_gettid));
  return real == raw_pid() ? program_pid() : real;
}

ThreadSlot* thread_with_tid(pid_t tid) {
  for (uint32_t i = 0; i < g_live_count; ++i) {
    ThreadSlot* t = &g_threads[g_live[i].slot];
    if (program_tid(*t) == tid) return t;
  }
  return nullptr;
}

// The number of the process that the run is a copy of means this process as well: the program may have asked the kernel itself.
bool is_this_process(pid_t seen) { return seen == program_pid() || seen == raw_pid() || (seen != 0 && seen == g_numbers.home); }

bool is_parent(pid_t seen) { return is_first() && g_numbers.parent != 0 && seen == g_numbers.parent; }

pid_t real_pid(pid_t seen) {
  if (seen <= 0) return seen == -1 || seen == 0 ? seen : -real_group(-seen);
  if (seen == g_numbers.self) return raw_pid();
  if (const Child* c = with_seen(seen)) return c->real;
  if (seen != g_numbers.parent) return seen;
  return is_first() && g_run.control != nullptr ? g_run.control->tool_pid : g_numbers.real_parent;
}

pid_t real_group(pid_t seen) {
  if (seen != g_numbers.self || seen == 0 || g_numbers.home == 0) return real_pid(seen);
  // A copy of a process that leads its group is no leader itself, but the program knows the group by that name.
  const bool of_home = sys(SYS_getpgid, 0) == g_numbers.home || sys(SYS_getsid, 0) == g_numbers.home;
  return of_home ? g_numbers.home : raw_pid();
}

pid_t real_tid(pid_t seen) {
  if (seen <= 0 || !active()) return real_pid(seen);
  const ThreadSlot* t = thread_with_tid(seen);
  if (t == nullptr) return real_pid(seen);
  // Where it has no kernel thread, the one that runs them all does.
  const bool own = g_run.carrier == Carrier::kKernel && t->carrier.process == raw_pid();
  return own ? t->tid : raw_pid();
}

bool is_child(pid_t real) { return with_real(real) != nullptr; }

pid_t seen_pid(pid_t real) {
  if (real <= 0) return real;
  if (const Child* c = with_real(real)) return c->seen;
  if (g_numbers.self != 0 && (real == raw_pid() || real == g_numbers.home)) return g_numbers.self;
  if (g_numbers.parent != 0 && !is_first() && real == g_numbers.real_parent) return g_numbers.parent;
  if (g_numbers.parent != 0 && is_first() && real == g_run.control->tool_pid) return g_numbers.parent;
  return real;
}

RealPath::RealPath(const char* path) : path_(path) {
  if (path == nullptr || strncmp(path, "/proc/", 6) != 0) return;
  const char* rest = path + 10;
  const bool self = strncmp(path + 6, "self/", 5) == 0;
  const pid_t number = self ? raw_pid() : number_at(path + 6, &rest);
  if (number == 0) return;
  const pid_t real = self ? number : real_tid(number);
  const char* after = nullptr;
  const pid_t task = strncmp(rest, "/task/", 6) == 0 ? number_at(rest + 6, &after) : 0;
  if ((real == number && task == 0) || strlen(rest) > sizeof own_ - 64) return;
  if (task != 0) {
    snprintf(own_, sizeof own_, "/proc/%d/task/%d%s", real, real_tid(task), after);
  } else {
    snprintf(own_, sizeof own_, "/proc/%d%s", real, rest);
  }
  path_ = own_;
}

pid_t expect_child() {
  ++g_expected;
  ++g_births;
  if (g_numbers.self == 0 || g_numbers.home == 0) return 0;
  const uint32_t place = (first_place(g_numbers.self) + g_births) % kChildPlaces;
  return kFirstChild + static_cast<pid_t>(place) * kThreadsOfChild;
}

bool is_forked() { return g_forked; }

void child_not_started() { --g_expected; }

pid_t child_started(pid_t real, pid_t number) {
  const pid_t seen = number != 0 ? number : real;
  --g_expected;
  uint32_t at = g_child_count;
  for (uint32_t i = 0; i < g_child_count; ++i) {
    // The kernel gives numbers again; and where the table is full, those who have ended go.
    if (g_children[i].real == real) at = i;
    if (at == kMaxChildren && g_children[i].ended) at = i;
  }
  if (at == kMaxChildren) {
    ++g_lost;
    return real;
  }
  g_children[at] = {real, seen, false, false};
  if (at == g_child_count) ++g_child_count;
  return seen;
}

void child_reaped(pid_t real) {
  for (uint32_t i = 0; i < g_child_count; ++i) {
    if (g_children[i].real != real || g_children[i].ended) continue;
    g_children[i].ended = true;
    return;
  }
  if (g_lost > 0) --g_lost;
}

uint32_t live_children() {
  uint32_t own = g_lost + g_expected;
  for (uint32_t i = 0; i < g_child_count; ++i) own += g_children[i].others || g_children[i].ended ? 0 : 1;
  return own;
}

uint32_t births() { return g_births; }

pid_t number_to_pass() { return g_numbers.self; }
pid_t parent_to_pass() { return g_numbers.parent; }

NumbersForExec::NumbersForExec(char* const* environment, pid_t self, pid_t parent) : environment_(environment) {
  static char* const kNone[] = {nullptr};
  if (environment == nullptr) environment = kNone;
  uint32_t count = 0;
  bool stale = false;
  bool preloads = false;
  for (; environment[count] != nullptr; ++count) {
    stale = stale || is_variable(environment[count]);
    preloads = preloads || is_preload(environment[count]);
  }
  if ((self == 0 && !stale) || count >= kMostVariables) return;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (!is_variable(environment[i])) own_[kept++] = environment[i];
  }
  if (self != 0) {
    const bool adds = !preloads && g_preload[0] != 0;
    snprintf(text_, sizeof text_, "%s=%d:%d%s", kNumbersVariable, self, parent, adds ? ":+" : "");
    own_[kept++] = text_;
    if (adds) own_[kept++] = g_preload;
  }
  own_[kept] = nullptr;
  environment_ = own_;
}

}  // namespace heddle::rt
