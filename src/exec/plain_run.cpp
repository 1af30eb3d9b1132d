// Runs that are the program's own: heddle run and heddle record.
#include <fcntl.h>
#include <sys/wait.h>

#include <chrono>

#include "exec/forward.h"
#include "exec/runner.h"
#include "exec/variables.h"
#include "trace/error.h"

namespace heddle::exec {

namespace {

constexpr int kTakeEveryMs = 20;
constexpr auto kSettleAfter = std::chrono::seconds(1);

// Until the process has ended. What the sink cannot take is lost to the recording, not to the program.
void take_while_it_runs(Channel& channel, const Plan& plan, StreamSink& sink, Process& process, PlainRun& run) {
  auto settled = std::chrono::steady_clock::now();
  const auto take = [&](bool last) {
    if (!run.not_recorded.empty()) return channel.drop_stream();
    try {
      channel.take_stream(plan, sink, last);
      const auto now = std::chrono::steady_clock::now();
      if (now - settled < kSettleAfter) return;
      sink.settle();
      settled = now;
    } catch (const Error& error) {
      run.not_recorded = error.what();
    }
  };
  while (!process.wait_for(kTakeEveryMs)) take(false);
  take(true);
}

PlainRun run_in(Channel& channel, const Target& target, const std::string& library, const Plan& plan, const Input* input,
                StreamSink* sink) {
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
  if (sink != nullptr) take_while_it_runs(channel, plan, *sink, process, run);
  run.wait_status = process.wait();
  forwarding.to(0);  // somebody else may get its number
  if (!channel.runtime_seen() && WIFEXITED(run.wait_status))
    run.notes.push_back("our library was not loaded into the program: it ran uncontrolled");
  return run;
}

}  // namespace

PlainRun run_plainly(const Target& target, const std::string& library, Carrier carrier, const Plan& plan, const Input* input,
                     const std::function<bool(const Outcome&)>& wanted) {
  Channel channel(Mode::kOnce, carrier);
  PlainRun run = run_in(channel, target, library, plan, input, nullptr);
  run.trace = channel.read(plan, run.wait_status, wanted);
  return run;
}

PlainRun run_into(StreamSink& sink, const Target& target, const std::string& library, Carrier carrier, const Plan& plan,
                  const Input* input) {
  Channel channel(Mode::kOnce, carrier);
  channel.begin_stream();
  PlainRun run = run_in(channel, target, library, plan, input, &sink);
  run.trace = channel.read(plan, run.wait_status, [](const Outcome&) { return false; });
  run.events = channel.event_count();
  return run;
}

}  // namespace heddle::exec
