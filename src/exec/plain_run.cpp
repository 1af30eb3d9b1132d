// Runs that are the program's own: heddle run and heddle record.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "exec/activity.h"
#include "exec/checkpoint.h"
#include "exec/forward.h"
#include "exec/loop_watch.h"
#include "exec/runner.h"
#include "exec/variables.h"
#include "exec/watchdog.h"
#include "trace/error.h"
#include "trace/plain_points.h"

namespace heddle::exec {

namespace {

constexpr int kLookEveryMs = 100;
constexpr int kTakeEveryMs = 20;
constexpr auto kSettleAfter = std::chrono::seconds(1);

// A run that goes on: what is looked at meanwhile.
class Attendance {
 public:
  Attendance(Channel& channel, const Plan& plan, StreamSink* sink, PlainRun& run, Computing computing)
      : channel_(channel), plan_(plan), sink_(sink), run_(run), computing_(computing), watchdog_(plan.limits.watchdog_ms) {}

  void leave_checkpoints(std::chrono::milliseconds every) { checkpoints_.emplace(channel_, *sink_, every); }

  // Until the process has ended, and the one that is followed: a server may fork itself into the background.
  void attend(Process& process, Forwarding& forwarding) {
    for (int waited = 0; !ended(process, forwarding, sink_ != nullptr ? kTakeEveryMs : kLookEveryMs);) {
      if (sink_ != nullptr) take(false);
      if (sink_ != nullptr && (waited += kTakeEveryMs) < kLookEveryMs) continue;
      waited = 0;
      const pid_t run = channel_.control().server_pid;
      if (run <= 0 || !look(run)) continue;
      given_up_ = cannot_control(what_it_does(run, plan_.limits.watchdog_ms));
      ::kill(run, SIGKILL);
      process.kill_all();
      break;
    }
    run_.wait_status = process.wait();
    if (sink_ != nullptr) take(true);
    if (!checkpoints_) return;
    checkpoints_->finish();
    run_.no_checkpoint = checkpoints_->complaint();
  }

  // With the loops that gave way.
  const Plan& plan() const { return plan_; }
  const std::optional<Outcome>& given_up() const { return given_up_; }

 private:
  bool ended(Process& process, Forwarding& forwarding, int milliseconds) {
    if (!process.wait_for(milliseconds)) return false;
    const pid_t run = channel_.control().server_pid;
    if (run <= 0 || run == process.pid()) return true;
    // Not our child: a handle says when it has ended, and stays true whoever gets its number then.
    if (!followed_) {
      followed_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, run, 0)));
      forwarding.to(followed_ ? run : 0);
    }
    pollfd waiting{followed_.get(), POLLIN, 0};
    return !followed_ || ::poll(&waiting, 1, milliseconds) > 0;
  }

  // What the sink cannot take is lost to the recording, not to the program.
  void take(bool last) {
    if (!run_.not_recorded.empty()) return channel_.drop_stream();
    try {
      channel_.take_stream(plan_, *sink_, last);
      if (checkpoints_ && !last) checkpoints_->look();
      const auto now = std::chrono::steady_clock::now();
      if (now - settled_ < kSettleAfter) return;
      sink_->settle();
      settled_ = now;
    } catch (const Error& error) {
      run_.not_recorded = error.what();
    }
  }

  // A loop that waits without a call is made to give way at once: nobody else has run since it began, so that from here on everything is as if it
  // had been known before. True: the run is to be given up.
  bool look(pid_t run) {
    if (!loops_) loops_.emplace(channel_, run);
    if (auto loop = loops_->look()) {
      const std::string place = loops_->place(*loop);
      if (loops_->install(*loop) && add_loops(plan_, {&*loop, 1})) run_.notes.push_back(gives_way_at(place));
    }
    if (!watchdog_.fired(channel_.progress(), run)) return false;
    // One that blocks in a call does so without us, too.
    return running_thread(run) != 0 && (computing_ == Computing::kWatched || loops_->waits_in_vain());
  }

  Channel& channel_;
  Plan plan_;
  StreamSink* sink_;
  PlainRun& run_;
  Computing computing_;
  Watchdog watchdog_;
  std::optional<LoopWatch> loops_;
  std::optional<Checkpoints> checkpoints_;
  Descriptor followed_;
  std::optional<Outcome> given_up_;
  std::chrono::steady_clock::time_point settled_ = std::chrono::steady_clock::now();
};

PlainRun run_in(Channel& channel, const Target& target, const std::string& library, const Plan& plan, const Input* input,
                const std::function<bool(const Outcome&)>& wanted, Computing computing, StreamSink* sink,
                std::chrono::milliseconds checkpoint_every) {
  PlainRun run;
  channel.write_plan(plan);
  Launch launch;
  launch.variables = control_variables(target, library, channel);
  launch.own_group = false;
  // A terminal's keys must reach it. Elsewhere only the tool is in the group that somebody sends a signal to, so that it comes to the program once.
  const bool terminal = static_cast<bool>(Descriptor(::open("/dev/tty", O_RDWR | O_CLOEXEC)));
  launch.apart = !terminal;
  const Descriptor in = input != nullptr ? input->open() : Descriptor();
  if (in) launch.in = in.get();
  Forwarding forwarding(terminal);
  Process process(target, launch, run.notes);
  forwarding.to(process.pid());
  Attendance attendance(channel, plan, sink, run, computing);
  if (checkpoint_every.count() > 0) attendance.leave_checkpoints(checkpoint_every);
  attendance.attend(process, forwarding);
  forwarding.to(0);  // somebody else may get its number
  run.trace = channel.read(attendance.plan(), run.wait_status, wanted);
  if (attendance.given_up()) run.trace = run.trace.with_outcome(*attendance.given_up());
  if (!channel.runtime_seen() && WIFEXITED(run.wait_status))
    run.notes.push_back("our library was not loaded into the program: it ran uncontrolled");
  return run;
}

}  // namespace

PlainRun run_plainly(const Target& target, const std::string& library, Carrier carrier, const Plan& plan, const Input* input,
                     const std::function<bool(const Outcome&)>& wanted, Computing computing) {
  Channel channel(Mode::kOnce, carrier);
  return run_in(channel, target, library, plan, input, wanted, computing, nullptr, {});
}

PlainRun run_into(StreamSink& sink, const Target& target, const std::string& library, Carrier carrier, const Plan& plan, const Input* input,
                  Computing computing, std::chrono::milliseconds checkpoint_every) {
  Channel channel(Mode::kOnce, carrier);
  channel.begin_stream();
  PlainRun run = run_in(
      channel, target, library, plan, input, [](const Outcome&) { return false; }, computing, &sink, checkpoint_every);
  run.events = channel.event_count();
  return run;
}

}  // namespace heddle::exec
