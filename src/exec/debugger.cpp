#include "exec/debugger.h"

#include <fmt/format.h>

#include "exec/channel.h"
#include "exec/file_view.h"
#include "exec/process.h"
#include "exec/restore.h"
#include "exec/streams.h"
#include "exec/variables.h"

namespace heddle::exec {

int run_in_gdb(const Target& target, const std::string& library, const Plan& plan, const std::vector<std::string>& words,
               const std::vector<RecordedFile>& files) {
  Channel channel(Mode::kOnce, Carrier::kKernel);
  channel.write_plan(plan);
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
  const std::unique_ptr<FileView> view = FileView::make(target.directory, files, library, &why_not);
  launch.view = view.get();
  launch.channel = channel.descriptor();
  Process process(gdb, launch, notes);
  return process.wait();
}

struct HeldProcess::Parts {
  Channel channel{Mode::kOnce, Carrier::kFiber};
  std::unique_ptr<FileView> view;
  std::unique_ptr<Process> process;
};

HeldProcess::HeldProcess(const Target& target, const std::string& library, const Plan& plan, CheckpointSource& source,
                         const std::vector<RecordedFile>& files)
    : parts_(std::make_unique<Parts>()) {
  Channel& channel = parts_->channel;
  channel.write_plan(plan);
  want_restore(channel, source.checkpoint());
  channel.control().restore.spare = 1;  // it waits
  std::string why_not;
  parts_->view = FileView::make(target.directory, files, library, &why_not);
  const auto nothing = Input::of_bytes({})->open();
  Launch launch;
  launch.variables = control_variables(target, library, channel);
  launch.in = nothing.get();
  launch.view = parts_->view.get();
  launch.channel = channel.descriptor();
  std::vector<std::string> notes;
  parts_->process = std::make_unique<Process>(target, launch, notes);
  const auto over = [this] { return ended(); };
  restore(channel, source, over);
  await_restored(channel, over);
}

HeldProcess::~HeldProcess() {
  if (parts_->process) parts_->process->kill_all();
}

pid_t HeldProcess::pid() const { return parts_->channel.control().restore.pid; }

bool HeldProcess::ended() { return parts_->process->ended().has_value(); }

int run_beside(const Target& target, const std::vector<std::string>& words, const std::function<void()>& look) {
  constexpr int kLookMs = 20;
  Target gdb = target;
  gdb.program = words.front();
  gdb.arguments = words;
  gdb.script = false;
  // The program's libraries are where the tool sees them, also where the program has a view of files of its own.
  gdb.arguments.insert(gdb.arguments.begin() + 1, {"-iex", "set sysroot /"});
  Launch launch;
  launch.own_group = false;
  std::vector<std::string> notes;
  Process process(gdb, launch, notes);
  for (;;) {
    if (const auto status = process.wait_for(kLookMs)) return *status;
    look();
  }
}

}  // namespace heddle::exec
