#include "exec/activity.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace heddle::exec {

namespace {

Activity read_activity(const std::string& path) {
  Activity a;
  std::ifstream file(path);
  std::string text;
  if (!std::getline(file, text) || text.rfind(')') == std::string::npos) return a;
  unsigned long user = 0, kernel = 0;
  // State is the third field, the two times the 14th and 15th (proc(5)).
  std::sscanf(text.c_str() + text.rfind(')') + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &a.state, &user, &kernel);
  a.used_ms = (user + kernel) * 1000 / static_cast<unsigned long>(::sysconf(_SC_CLK_TCK));
  return a;
}

}  // namespace

Activity activity_of(pid_t pid) { return pid > 0 ? read_activity(fmt::format("/proc/{}/stat", pid)) : Activity{}; }

pid_t running_thread(pid_t pid) {
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), error)) {
    if (read_activity(task.path().string() + "/stat").state == 'R') return std::atoi(task.path().filename().c_str());
  }
  return 0;
}

}  // namespace heddle::exec
