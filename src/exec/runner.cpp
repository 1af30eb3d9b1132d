#include "exec/runner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "exec/activity.h"
#include "exec/forward.h"
#include "exec/loop_watch.h"
#include "exec/machine.h"
#include "exec/restore.h"
#include "exec/variables.h"
#include "exec/watchdog.h"
#include "trace/error.h"
#include "trace/peer_log.h"
#include "wire/disabled_hooks.h"

namespace heddle::exec {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLookMs = 100;            // how often a quiet wait looks whether the other side still lives
constexpr int kStartLimitMs = 120'000;  // a program that has created no thread by then is not tested
constexpr int kServerGraceMs = 10'000;  // for the server to reap a killed run

Outcome printed_too_much(uint64_t most) {
  Outcome o;
  o.kind = OutcomeKind::kLimit;
  o.message = fmt::format("it printed more than {} MB", most >> 20);
  return o;
}

bool same_code(const Plan& a, const Plan& b) {
  if (a.code == b.code || !a.code || !b.code) return a.code == b.code;
  return std::equal(a.code->begin(), a.code->end(), b.code->begin(), b.code->end(),
                    [](const CodePoint& x, const CodePoint& y) { return x.site == y.site && x.from == y.from; });
}

// Whether one server can run both: what the program may have seen before its first thread must agree.
bool same_start(const Plan& a, const Plan& b) {
  return a.points == b.points && a.points_id == b.points_id && a.env_seed == b.env_seed && a.input_id == b.input_id &&
         a.detect == b.detect && a.sites == b.sites && a.inputs == b.inputs && same_code(a, b);
}

// A hand-off between threads, and between the server and its runs, is several times cheaper within one core.
void pin(pid_t pid, const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(static_cast<size_t>(core), &set);
  ::sched_setaffinity(pid, sizeof set, &set);
}

// The events of one run after the other: memory that goes back to the system in between comes again page by page, each by a fault.
void keep_freed_memory() {
  constexpr int kMost = 32 << 20;  // the largest that glibc takes
  ::mallopt(M_MMAP_THRESHOLD, kMost);
  ::mallopt(M_TRIM_THRESHOLD, 4 * kMost);
  ::mallopt(M_TOP_PAD, 1 << 20);
}

}  // namespace

Runner::Runner(Target target, RunnerOptions options) : target_(std::move(target)), options_(std::move(options)) {
  static const bool kept = (keep_freed_memory(), true);
  (void)kept;
  if (!options_.input) options_.input = Input::of_bytes({});
  if (!options_.judge) options_.judge = std::make_shared<Judge>(Predicates{});
}

Runner::~Runner() { go_anywhere(); }

// The thread that waits for runs is on their core: waking another one takes longer than a short run, the more so if it sleeps.
void Runner::stay_with_runs() {
  if (options_.core < 0 || !cores_.empty()) return;
  cores_ = usable_cores();
  pin(0, {options_.core});
}

// What it starts must find the machine as it is.
void Runner::go_anywhere() {
  if (!cores_.empty()) pin(0, cores_);
  cores_.clear();
}

void Runner::note(const std::string& text) {
  if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(text);
}

void Runner::take_view() {
  if (view_ || view_asked_ || options_.real_files) return;
  view_asked_ = true;
  std::string why_not;
  view_ = FileView::make(target_.directory, options_.files, options_.library, &why_not);
  if (view_) return;
  note(fmt::format("files that a run writes are seen by the next: no view of its own could be made ({})", why_not));
  if (!options_.files.empty()) note(fmt::format("{} as it was recorded cannot be shown", options_.files.front().path));
}

// What a run has written the next one must not see.
void Runner::fresh_files() {
  if (!view_ || !view_->written()) return;
  view_->wipe();
  ++channel_->control().view_epoch;
}

void Runner::start(const Plan& plan, Mode mode, const Checkpoint* checkpoint) {
  go_anywhere();
  stop_serving();
  take_view();
  if (view_) view_->begin_anew();
  channel_ = std::make_unique<Channel>(mode, options_.carrier);
  streams_ = std::make_unique<Streams>(*options_.input);
  channel_->write_plan(plan);
  if (checkpoint != nullptr) want_restore(*channel_, *checkpoint);
  Launch launch;
  launch.variables = control_variables(target_, options_.library, *channel_);
  launch.in = streams_->in();
  launch.out = streams_->out();
  launch.err = streams_->err();
  launch.view = view_.get();
  launch.channel = channel_->descriptor();
  std::vector<std::string> said;
  process_ = std::make_unique<Process>(target_, launch, said);
  for (const std::string& text : said) note(text);
  serving_ = false;
  served_ = plan;
}

void Runner::stop_serving() {
  if (snapshots_) from_snapshots_ += snapshots_->used();
  snapshots_.reset();
  process_.reset();
  serving_ = false;
}

// True when the server is ready, or is of no use; false when the program ended, or would not come to its first thread.
bool Runner::await_ready() {
  const auto limit = Clock::now() + std::chrono::milliseconds(kStartLimitMs);
  int span = 1;
  while (!channel_->server_ready()) {
    give_up_if_asked();
    if (process_->ended() && !channel_->server_ready()) return false;
    if (Clock::now() > limit) {
      process_->kill_all();
      throw Error(fmt::format("{}: created no thread within {} s", target_.arguments.front(), kStartLimitMs / 1000));
    }
    // The end of a program without threads wakes nobody here, so the first looks are close together.
    channel_->wait_for_server(span);
    span = std::min(span * 2, 16);
  }
  if (const char* what = channel_->servers().common; *what != 0) {
    note(fmt::format("the program sets up {} before its first thread, which all runs would share: each run starts it anew", what));
    options_.serve = false;
    return true;
  }
  // Only now: what the program asked about its processors before its first thread, it asked of the whole machine.
  if (options_.core >= 0 && channel_->control().server_pid > 0) pin(channel_->control().server_pid, {options_.core});
  streams_->mark();
  if (view_ && view_->written()) {
    view_->keep();
    ++channel_->control().view_epoch;
  }
  SnapshotOptions options = options_.snapshots;
  options.enabled = options.enabled && options_.carrier == Carrier::kFiber;
  snapshots_ = std::make_unique<Snapshots>(options, *channel_, *streams_);
  serving_ = true;
  return true;
}

void Runner::give_up_if_asked() {
  const bool late = options_.deadline != nullptr && options_.deadline->over();
  if (!stopped() && !late) return;
  stop_serving();
  throw Error(late ? "stopped: out of time" : "interrupted", ExitCode::kInterrupted);
}

int Runner::look_ms() const { return options_.deadline != nullptr ? options_.deadline->left(kLookMs) : kLookMs; }

bool Runner::server_alive() {
  if (!process_) return false;
  const pid_t server = channel_->control().server_pid;
  if (!process_->ended()) return true;
  // Below a script the server is not our child, and may live on after it.
  return server > 0 && server != process_->pid() && ::kill(server, 0) == 0;
}

// Of a program that another one executes for it, instruction by instruction, nothing can be asked.
bool Runner::waits_in_loop(std::optional<LoopWatch>& loops, pid_t run) {
  if (!loops && run > 0 && target_.wrapped.empty()) loops.emplace(*channel_, run);
  if (!loops || !(loop_ = loops->look())) return false;
  note(gives_way_at(loops->place(*loop_)));
  return true;
}

Runner::Wait Runner::await_reply(const Plan& plan, uint32_t row) {
  Watchdog watchdog(plan.limits.watchdog_ms);
  std::optional<LoopWatch> loops;
  while (!channel_->answered()) {
    channel_->wait_for_server(look_ms());
    if (channel_->answered()) break;
    if (waits_in_loop(loops, channel_->control().child_pid)) return Wait::kLoop;
    give_up_if_asked();
    if (prints_too_much()) return Wait::kPrints;
    if (!server_alive() || (row != 0 && activity_of(channel_->servers().rows[row].pid).state == 'Z')) return Wait::kDead;
    if (watchdog.fired(channel_->progress(), channel_->control().child_pid)) return Wait::kWatchdog;
  }
  return Wait::kDone;
}

Runner::Wait Runner::await_end(const Plan& plan) {
  Watchdog watchdog(plan.limits.watchdog_ms);
  std::optional<LoopWatch> loops;
  while (!process_->wait_for(look_ms())) {
    give_up_if_asked();
    if (waits_in_loop(loops, channel_->control().server_pid)) return Wait::kLoop;
    if (prints_too_much()) return Wait::kPrints;
    if (watchdog.fired(channel_->progress(), process_->pid())) return Wait::kWatchdog;
  }
  return Wait::kDone;
}

Outcome Runner::ended_by_us(Wait wait, const Plan& plan, pid_t pid) const {
  if (wait == Wait::kPrints) return printed_too_much(options_.most_output);
  if (wait == Wait::kLoop) return cannot_control("waits in a loop without a call");
  return cannot_control(what_it_does(pid, plan.limits.watchdog_ms));
}

RunResult Runner::finish(const Plan& plan, int wait_status, std::optional<Outcome> instead) {
  RunResult result;
  if (!prints_too_much()) {
    result.output = {streams_->out_bytes(), streams_->err_bytes()};
  } else if (!instead) {
    instead = printed_too_much(options_.most_output);
  }
  result.trace = channel_->read(plan, wait_status);
  if (!instead && !channel_->runtime_seen() && WIFEXITED(wait_status))
    instead = cannot_control("our library was not loaded into the program");
  Outcome refined = instead ? *instead : options_.judge->refine(result.trace.outcome(), result.output, view_.get());
  if (!(refined == result.trace.outcome())) result.trace = result.trace.with_outcome(std::move(refined));
  if (loop_) result.trace = result.trace.with_learnt({*loop_});
  loop_.reset();
  return result;
}

RunResult Runner::run_once(const Plan& plan) {
  start(plan, Mode::kOnce);
  return attend_to_end(plan);
}

RunResult Runner::run_from(CheckpointSource& source, const Plan& plan) {
  give_up_if_asked();
  const Plan whole = with_inputs(plan);
  start(whole, Mode::kOnce, &source.checkpoint());
  restore(*channel_, source, [this] { return process_->ended().has_value(); });
  return attend_to_end(whole);
}

RunResult Runner::attend_to_end(const Plan& plan) {
  const Wait wait = await_end(plan);
  switch (wait) {
    case Wait::kDone:
    case Wait::kDead: break;
    case Wait::kPrints:
    case Wait::kLoop:
    case Wait::kWatchdog: {
      const Outcome outcome = ended_by_us(wait, plan, process_->pid());
      process_->kill_all();
      return finish(plan, process_->wait(), outcome);
    }
  }
  return finish(plan, process_->wait());
}

// Nothing when the server died: the caller may try again.
std::optional<RunResult> Runner::run_served(const Plan& plan) {
  if (!serving_ || !same_start(plan, served_) || !server_alive()) {
    start(plan, Mode::kServe);
    if (!await_ready()) {
      // Without a thread there is no server, and nothing to schedule. The process claims the trace slot only in a run of its own.
      threadless_ = true;
      note("no threads were created");
      return run_once(plan);
    }
    if (!options_.serve) return run_once(plan);
  }
  fresh_files();
  const Snapshots::Start start = snapshots_->begin(plan);
  channel_->write_plan(plan);
  ServerTable& table = channel_->servers();
  table.cursor = start.cursor;
  // What is replayed for the first time is replayed in a process that has run nothing else.
  const bool replays = plan.strictness == Strictness::kStrict;
  table.fork_for_it = !options_.reuse || (replays && !replaying_) ? 1 : 0;
  replaying_ = replays;
  table.order_count = static_cast<uint32_t>(start.orders.size());
  std::copy(start.orders.begin(), start.orders.end(), table.orders);
  stay_with_runs();
  const auto begun = Clock::now();
  channel_->send(Request::kRun, start.row);
  const Wait wait = await_reply(plan, start.row);
  switch (wait) {
    case Wait::kDone: {
      const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begun).count();
      RunResult result = finish(plan, channel_->control().wait_status);
      snapshots_->observe(start, plan, result.trace, result.output.out, result.output.err, static_cast<uint64_t>(ns));
      // A snapshot of a run that has written files would go on from files that are put back.
      if (view_ && view_->written()) snapshots_->give_up_all();
      return result;
    }
    case Wait::kDead:
      if (start.row != 0) snapshots_->give_up(start.row);
      serving_ = start.row != 0;
      return std::nullopt;
    case Wait::kPrints:
    case Wait::kLoop:
    case Wait::kWatchdog: break;
  }
  // The run is killed in an unknown state; what stands was left before.
  const pid_t child = channel_->control().child_pid;
  const Outcome outcome = ended_by_us(wait, plan, child);
  if (child > 1) ::kill(child, SIGKILL);
  const auto limit = Clock::now() + std::chrono::milliseconds(kServerGraceMs);
  while (!channel_->answered() && server_alive() && Clock::now() < limit) channel_->wait_for_server(kLookMs);
  RunResult result = finish(plan, channel_->control().wait_status, outcome);
  if (channel_->answered()) {
    snapshots_->give_up_all();
  } else {
    stop_serving();
  }
  return result;
}

RunResult Runner::run(const Plan& plan) {
  give_up_if_asked();
  const bool brings = !options_.inputs || plan.inputs;
  return brings && (!plan.inputs || plan.strictness == Strictness::kStrict) ? run_as_is(plan) : run_as_is(with_inputs(plan));
}

// Under another schedule another thread may take what a peer says.
Plan Runner::with_inputs(const Plan& plan) {
  Plan whole = plan;
  if (!plan.inputs) whole.inputs = options_.inputs;
  if (plan.strictness == Strictness::kStrict || !whole.inputs) return whole;
  if (recorded_ != whole.inputs) {
    recorded_ = whole.inputs;
    played_ = played_by_peers(*recorded_);
  }
  if (played_) whole.inputs = played_;
  return whole;
}

// A crash in the plain twin of a function has no source line, and would be another failure than the same one in the function itself: there it is looked at.
RunResult Runner::run_as_is(const Plan& plan) {
  RunResult result = run_with_twins(plan);
  if ((plan.detect & ~(kDetectIterations | kDetectStatements)) != 0 || !channel_->ended_in_twin()) return result;
  Plan own_code = plan;
  own_code.detect |= kOwnCode;
  return run_with_twins(own_code);
}

// Where things lie in memory is as in the recording only in a process that is started in the same way: programs hash addresses, and the kernel
// hands out those that they gave it.
bool Runner::is_of_recording(const Plan& plan) {
  return plan.strictness == Strictness::kStrict && plan.inputs && plan.inputs->is_of_first_process();
}

RunResult Runner::run_with_twins(const Plan& plan) {
  const bool in_part = plan.inputs && plan.inputs->by_peer;
  if (!options_.serve || threadless_ || in_part || is_of_recording(plan)) return run_once(plan);
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (auto result = run_served(plan)) return std::move(*result);
  }
  const auto status = process_->ended();
  return finish(plan, 0,
                cannot_control(fmt::format("the program's fork server died: {}", status ? describe_status(*status) : "without a status")));
}

}  // namespace heddle::exec
