#include "cli/progress.h"

#include <unistd.h>

#include <cstdio>

#include "cli/print.h"

namespace heddle::cli {

Progress::Progress(bool quiet) : on_(!quiet && ::isatty(2) == 1) {}
Progress::~Progress() { clear(); }

void Progress::show(const std::string& line) {
  const auto now = std::chrono::steady_clock::now();
  if (!on_ || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  write_text(stderr, fmt::format("\r{:<{}}", clean_line(line), width_));
  std::fflush(stderr);
  width_ = line.size();
}

void Progress::clear() {
  if (!on_ || width_ == 0) return;
  write_text(stderr, fmt::format("\r{:<{}}\r", "", width_));
  std::fflush(stderr);
  width_ = 0;
}

}  // namespace heddle::cli
