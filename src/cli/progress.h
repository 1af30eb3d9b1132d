#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace heddle::cli {

// One line on stderr that is overwritten, and only on a terminal. Above it there may be a table, drawn anew with it.
class Progress {
 public:
  explicit Progress(bool quiet = false);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Lines for the table: at most `rows`, each at most `width` wide.
  using Table = std::function<std::vector<std::string>(size_t rows, size_t width)>;
  // Says whether it is shown: not where there is no terminal, or one that cannot move its cursor up.
  bool set_table(Table table);

  void show(const std::string& line);
  void clear();  // the line; a table stays until something is printed

 private:
  void erase();
  void draw(const std::string& line);

  bool on_;
  Table table_;
  size_t width_ = 0;  // of the line that is shown; 0: none
  size_t drawn_ = 0;  // lines of the table and the line below it
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace heddle::cli
