#include "exec/debugger.h"

#include <fmt/format.h>

#include "exec/channel.h"
#include "exec/file_view.h"
#include "exec/process.h"
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

}  // namespace heddle::exec
