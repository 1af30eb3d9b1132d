#include "exec/debugger.h"

#include <fmt/format.h>

#include <filesystem>

#include "exec/channel.h"
#include "exec/file_view.h"
#include "exec/process.h"
#include "trace/instrumentation.h"

namespace heddle {

namespace {

// The target's own value of a list of paths, behind ours.
std::string in_front(const Target& target, const std::string& name, const std::string& ours) {
  for (const std::string& entry : target.environment) {
    if (entry.starts_with(name + "=") && entry.size() > name.size() + 1) return ours + ":" + entry.substr(name.size() + 1);
  }
  return ours;
}

}  // namespace

int run_in_gdb(const Target& target, const std::string& library, const Plan& plan, const std::vector<std::string>& words,
               const std::vector<RecordedFile>& files) {
  Channel channel(Mode::kOnce, Carrier::kKernel);
  channel.write_plan(plan);
  std::vector<std::pair<std::string, std::string>> variables = {{"LD_PRELOAD", in_front(target, "LD_PRELOAD", library)},
                                                                {kChannelVariable, channel.variable()}};
  if (build_of(target.program).wants_libtsan)
    variables.emplace_back("LD_LIBRARY_PATH",
                           in_front(target, "LD_LIBRARY_PATH", std::filesystem::path(library).parent_path().string() + "/heddle-tsan"));
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
  const std::unique_ptr<FileView> view = FileView::make(target.directory, files, &why_not);
  launch.view = view.get();
  launch.channel = channel.descriptor();
  Process process(gdb, launch, notes);
  return process.wait();
}

}  // namespace heddle
