#pragma once
#include <chrono>
#include <string>

namespace heddle::cli {

// One line on stderr that is overwritten, and only on a terminal.
class Progress {
 public:
  explicit Progress(bool quiet = false);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& line);
  void clear();

 private:
  bool on_;
  size_t width_ = 0;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace heddle::cli
