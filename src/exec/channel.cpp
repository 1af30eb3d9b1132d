#include "exec/channel.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <ctime>

#include "trace/error.h"
#include "wire/disabled_hooks.h"

namespace heddle::exec {

namespace {

template <typename T>
T load(const T& word) {
  T value;
  __atomic_load(&word, &value, __ATOMIC_ACQUIRE);
  return value;
}

std::string text_of(const char* characters, size_t limit) { return {characters, ::strnlen(characters, limit)}; }

Thread thread_of(const ThreadRow& row, uint32_t thread_count) {
  Thread t;
  t.id = row.id;
  t.parent = row.parent < thread_count ? row.parent : 0;
  t.birth = row.birth;
  t.operations = row.operations;
  t.state = row.state <= ThreadState::kRemoved ? row.state : ThreadState::kRunnable;
  t.pending = static_cast<uint16_t>(row.pending) < kOpCount ? row.pending : Op::kNone;
  t.object = row.object;
  t.site = row.site;
  t.holder = row.holder < thread_count ? row.holder : kNoIndex;
  t.holder_site = row.holder_site;
  t.stack.assign(row.stack, row.stack + std::min<size_t>(row.stack_size, std::size(row.stack)));
  t.entry = row.entry;
  return t;
}

bool is_sound(const RaceSide& side, uint32_t thread_count) {
  return side.thread < thread_count && static_cast<uint16_t>(side.op) < kOpCount && side.stack_size <= kRaceStack &&
         side.lock_count <= kRaceLocks;
}
bool is_sound(const RaceRow& row, uint32_t thread_count) {
  return row.kind <= RaceKind::kPossible && is_sound(row.first, thread_count) && is_sound(row.second, thread_count);
}

}  // namespace

Channel::Channel(Mode mode, Carrier carrier) : layout_(channel_layout(kPlanBytes, kEventCapacity)), file_(memory_file("heddle-channel")) {
  if (::ftruncate(file_.get(), static_cast<off_t>(layout_.total)) != 0) {
    throw Error(fmt::format("cannot size the memory shared with the program: {}", std::strerror(errno)));
  }
  void* at = ::mmap(nullptr, layout_.total, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_.get(), 0);
  if (at == MAP_FAILED) throw Error(fmt::format("cannot map the memory shared with the program: {}", std::strerror(errno)));
  base_ = static_cast<char*>(at);
  Control& c = control();
  c.magic = kChannelMagic;
  c.version = kChannelVersion;
  c.size = layout_.total;
  c.mode = mode;
  c.carrier = carrier;
  c.tool_pid = ::getpid();
}

Channel::~Channel() { ::munmap(base_, layout_.total); }

std::string Channel::variable() const { return fmt::format("{:010}:{:06}", ::getpid(), file_.get()); }

void Channel::write_plan(const Plan& plan) {
  if (encoded_size(plan) > kPlanBytes) throw Error(fmt::format("a plan of {} slices does not fit the channel", plan.slices.size()));
  encode_to(plan, reinterpret_cast<std::byte*>(base_ + layout_.plan));
  ReplayedInputs none{};
  std::memcpy(base_ + layout_.replayed, &none, sizeof none);
  if (!plan.inputs || plan.inputs->calls.empty()) return;
  const std::string block = replay_block(*plan.inputs, plan.strictness == Strictness::kStrict);
  std::memcpy(base_ + layout_.replayed, block.data(), block.size());
}

uint64_t Channel::progress() const { return load(header().event_count) + load(header().executed); }

void Channel::send(Request request, uint32_t row) {
  Control& c = control();
  c.request = request;
  c.child_pid = 0;
  uint32_t* door = &servers().rows[row].door;
  __atomic_store_n(door, __atomic_add_fetch(&c.command, 1, __ATOMIC_RELEASE), __ATOMIC_RELEASE);
  // All: one that is about to die may still wait there, too.
  ::syscall(SYS_futex, door, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void Channel::put_back(const Trace& trace, uint64_t step) {
  const auto events = trace.events().first(step);
  std::copy(events.begin(), events.end(), rows<Event>(layout_.events));
  std::copy(trace.objects().begin(), trace.objects().end(), rows<ObjectRow>(layout_.objects));
  for (size_t i = 0; i < trace.modules().size(); ++i) {
    const Module& module = trace.modules()[i];
    ModuleRow& row = rows<ModuleRow>(layout_.modules)[i];
    row.bias = module.bias;
    row.instrumented = module.instrumented ? 1 : 0;
    row.path[module.path.copy(row.path, sizeof row.path - 1)] = 0;
  }
}

bool Channel::ended_in_twin() const { return rows<HookBlock>(layout_.hooks)->in_twin != 0; }

bool Channel::answered() const { return load(control().reply) == load(control().command); }

bool Channel::server_ready() const { return load(control().state) == ServerState::kReady; }

void Channel::wait_for_server(int milliseconds) const {
  const uint32_t seen = load(control().reply);
  if (load(control().command) != 0 && seen == control().command) return;
  const timespec span{milliseconds / 1000, (milliseconds % 1000) * 1'000'000L};
  ::syscall(SYS_futex, &control().reply, FUTEX_WAIT, seen, &span, nullptr, 0);
}

Outcome outcome_of_status(int wait_status) {
  Outcome o;
  if (WIFSIGNALED(wait_status)) {
    o.code = WTERMSIG(wait_status);
    o.kind = o.code == SIGABRT ? OutcomeKind::kAbort : OutcomeKind::kSignal;
    o.message = ::strsignal(o.code);
    // Only a filter of system calls or our own dispatch of them sends this: it says nothing about the program's threads.
    if (o.code == SIGSYS) {
      o.kind = OutcomeKind::kCannotControl;
      o.message = "a system call was refused (SIGSYS): the program runs under a filter or under a tool that Heddle cannot work with";
    }
  } else {
    o.kind = OutcomeKind::kExit;
    o.code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 0;
  }
  return o;
}

Outcome Channel::outcome(int wait_status) const {
  const OutcomeBlock& block = header().outcome;
  if (block.kind > OutcomeKind::kLimit) return outcome_of_status(wait_status);
  Outcome o;
  if (block.kind == OutcomeKind::kUnknown) {
    // Where a sanitizer has ended the program there is a stack all the same.
    o = outcome_of_status(wait_status);
  } else {
    o.kind = block.kind;
    o.code = block.code;
    o.message = text_of(block.message, sizeof block.message);
  }
  o.thread = block.thread;
  if (block.used != kNoSite) {
    o.memory = {block.used, block.allocated, block.freed, block.allocated_by, block.freed_by};
  }
  o.stack.assign(block.stack, block.stack + std::min<uint32_t>(block.stack_size, kMaxStack));
  return o;
}

std::vector<LoadedModule> Channel::modules() const {
  std::vector<LoadedModule> modules;
  for (uint32_t i = 0; i < std::min<uint64_t>(header().module_count, kMaxModules); ++i) {
    const ModuleRow& row = rows<ModuleRow>(layout_.modules)[i];
    modules.push_back({text_of(row.path, sizeof row.path), row.bias, row.low, row.high});
  }
  return modules;
}

std::shared_ptr<const InputLog> Channel::read_inputs() const {
  static const auto kNone = std::make_shared<const InputLog>();
  if (control().file_bytes == 0 && header().input_bytes == 0 && header().inputs_lost == 0) return kNone;
  auto log = std::make_shared<InputLog>();
  parse_inputs(base_ + layout_.files, std::min(control().file_bytes, kFileBytes), *log);
  if (!streams()) parse_inputs(base_ + layout_.inputs, std::min(header().input_bytes, kInputBytes), *log);
  log->lost = header().inputs_lost;
  return log;
}

void Channel::read_iterations(Trace::Data& data) const {
  const TraceHeader& h = header();
  const auto* loops = rows<LoopRow>(layout_.loops);
  for (uint32_t i = 0; i < std::min<uint64_t>(h.loop_count, kMaxLoops); ++i)
    data.loops.push_back({loops[i].id, text_of(loops[i].place, sizeof loops[i].place)});
  const auto* iterations = rows<IterationRow>(layout_.iterations);
  data.iterations.assign(iterations, iterations + std::min(h.iteration_count, kMaxIterations));
  std::erase_if(data.iterations, [&](const IterationRow& r) { return r.thread >= data.threads.size(); });
  data.statement_mark = h.statement_mark;
  data.iterations_lost = h.iterations_lost;
}

namespace {

// Of what was copied, no pages stay in this process's memory: of a long run they would count twice.
void leave_pages(const void* rows, size_t bytes) {
  constexpr uintptr_t kPage = 4096;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(rows) + kPage - 1) & ~(kPage - 1);
  const uintptr_t end = (reinterpret_cast<uintptr_t>(rows) + bytes) & ~(kPage - 1);
  if (bytes >= kLongRows && end > begin) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace

Trace Channel::read(const Plan& plan, int wait_status, const std::function<bool(const Outcome&)>& wanted) const {
  const TraceHeader& h = header();
  Trace::Data data;
  const auto thread_count = static_cast<uint32_t>(std::min<uint64_t>(h.thread_count, kMaxThreads));
  for (uint32_t i = 0; i < thread_count; ++i) data.threads.push_back(thread_of(rows<ThreadRow>(layout_.threads)[i], thread_count));
  for (uint32_t i = 0; i < std::min<uint64_t>(h.module_count, kMaxModules); ++i) {
    const ModuleRow& row = rows<ModuleRow>(layout_.modules)[i];
    data.modules.push_back({text_of(row.path, sizeof row.path), row.bias, row.instrumented != 0});
  }
  const auto* objects = rows<ObjectRow>(layout_.objects);
  data.objects.assign(objects, objects + std::min<uint64_t>(h.object_count, kMaxObjects));
  for (uint32_t i = 0; i < std::min<uint64_t>(control().note_count, kMaxNotes); ++i) {
    const NoteRow& row = rows<NoteRow>(layout_.notes)[i];
    data.notes.push_back({row.site, row.count, text_of(row.text, sizeof row.text)});
  }
  const auto* events = rows<Event>(layout_.events);
  data.outcome = outcome(wait_status);
  data.first = control().restore.first_event;
  const uint64_t count = load(h.event_count) - std::min(load(h.event_count), data.first);
  if (!wanted || wanted(data.outcome)) data.events.assign(events, events + std::min<uint64_t>(count, kEventCapacity));
  leave_pages(events, data.events.size() * sizeof(Event));
  const auto broken = std::find_if(data.events.begin(), data.events.end(),
                                   [&](const Event& e) { return e.thread >= thread_count || static_cast<uint16_t>(e.op) >= kOpCount; });
  data.events.erase(broken, data.events.end());
  if (data.outcome.thread >= thread_count) data.outcome.thread = 0;
  data.executed = std::max<uint64_t>(h.executed, data.events.size());
  data.slices_done = h.slices_done;
  data.skipped_slices = h.skipped_slices;
  data.clock_ns = h.clock_ns;
  data.points = plan.points;
  data.points_id = plan.points_id;
  data.env_seed = plan.env_seed;
  data.input_id = plan.input_id;
  data.skips = plan.skips;
  data.sites = plan.sites;
  data.code = plan.code;
  data.inputs = read_inputs();
  const auto* races = rows<RaceRow>(layout_.races);
  data.races.assign(races, races + std::min<uint64_t>(h.race_count, kMaxRaces));
  std::erase_if(data.races, [&](const RaceRow& r) { return !is_sound(r, thread_count); });
  read_iterations(data);
  const auto* hooks = rows<HookBlock>(layout_.hooks);
  data.hooks = {hooks->accesses, hooks->atomics, hooks->entries, hooks->patched, {}};
  if ((plan.detect & (kListHot | kListExecuted)) != 0)
    data.hooks.listed.assign(hooks->patches, hooks->patches + std::min(hooks->patch_count, kMaxPatches));
  return Trace(std::move(data));
}

}  // namespace heddle::exec
