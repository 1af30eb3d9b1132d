#include "exec/debugger.h"

#include <fmt/format.h>

#include "exec/channel.h"
#include "exec/file_view.h"
#include "exec/process.h"
#include "exec/restore.h"
#include "exec/variables.h"
#include "trace/error.h"

namespace heddle::exec {

namespace {

constexpr int kLookMs = 5;

// Each time that the debugger starts the program, a process stops to become a checkpoint.
int attend(Process& gdb, Channel& channel, const DebuggedRun& run) {
  while (!gdb.wait_for(kLookMs)) {
    if (!awaits_restore(channel)) continue;
    try {
      const DebuggedRest rest = run.rest(channel.control().restore.first_event);
      channel.write_plan(rest.plan);
      channel.control().restore.first_event = rest.source->checkpoint().step;
      restore(
          channel, *rest.source, [&] { return gdb.ended().has_value(); }, true);
    } catch (const Error& error) {
      give_up_restore(channel);
      run.complain(error.what());
    }
  }
  return gdb.wait();
}

}  // namespace

int run_in_gdb(const Target& target, const std::string& library, const DebuggedRun& run, const std::vector<std::string>& words) {
  Channel channel(Mode::kOnce, run.rest ? Carrier::kFiber : Carrier::kKernel);
  if (!run.rest) channel.write_plan(run.plan);
  if (run.rest) channel.control().restore.state = RestoreState::kWanted;
  const auto variables = control_variables(target, library, channel);
  Target gdb = target;
  gdb.program = words.front();
  gdb.arguments = words;
  gdb.script = false;
  // The variables are the program's alone, and no shell stands between.
  for (const char* setting :
       {"set startup-with-shell off", "set breakpoint pending on", "unset environment LINES", "unset environment COLUMNS"})
    gdb.arguments.insert(gdb.arguments.begin() + 1, {"-iex", setting});
  for (const auto& [name, value] : variables)
    gdb.arguments.insert(gdb.arguments.begin() + 1, {"-iex", fmt::format("set environment {}={}", name, value)});
  gdb.arguments.push_back("--args");
  gdb.arguments.push_back(target.program);
  gdb.arguments.insert(gdb.arguments.end(), target.arguments.begin() + 1, target.arguments.end());
  Launch launch;
  launch.own_group = false;
  std::vector<std::string> notes;
  std::string why_not;
  const std::unique_ptr<FileView> view = FileView::make(target.directory, run.files, library, &why_not);
  launch.view = view.get();
  launch.channel = channel.descriptor();
  Process process(gdb, launch, notes);
  return run.rest ? attend(process, channel, run) : process.wait();
}

}  // namespace heddle::exec
