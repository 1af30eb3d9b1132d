#include "cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "cli/print.h"

namespace heddle::cli {

namespace {

struct Screen {
  size_t rows = 24, columns = 80;
};

Screen screen_size() {
  winsize size{};
  Screen screen;
  if (::ioctl(2, TIOCGWINSZ, &size) != 0) return screen;
  if (size.ws_row > 0) screen.rows = size.ws_row;
  if (size.ws_col > 0) screen.columns = size.ws_col;
  return screen;
}

bool moves_its_cursor() {
  const char* kind = std::getenv("TERM");
  return kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
}

}  // namespace

Progress::Progress(bool quiet) : on_(!quiet && ::isatty(2) == 1) {
  if (on_) before_printing([this] { erase(); });
}

Progress::~Progress() {
  erase();
  if (on_) before_printing({});
}

bool Progress::set_table(Table table) {
  if (!on_ || !moves_its_cursor()) return false;
  table_ = std::move(table);
  return true;
}

void Progress::show(const std::string& line) {
  const auto now = std::chrono::steady_clock::now();
  if (!on_ || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  if (table_) {
    draw(line);
    return;
  }
  draw_text(fmt::format("\r{:<{}}", clean_line(line), width_));
  width_ = line.size();
}

void Progress::draw(const std::string& line) {
  const Screen screen = screen_size();
  constexpr size_t kOwnRows = 2;  // the line, and the one on which the cursor waits
  std::vector<std::string> lines = screen.rows > kOwnRows ? table_(screen.rows - kOwnRows, screen.columns - 1) : std::vector<std::string>();
  lines.push_back(line);
  std::string text = drawn_ > 0 ? fmt::format("\x1b[{}A", drawn_) : "";
  for (const std::string& each : lines) text += "\r\x1b[K" + clean_line(each).substr(0, screen.columns - 1) + "\n";
  draw_text(text + "\x1b[J");
  drawn_ = lines.size();
}

void Progress::clear() {
  if (!table_) erase();
}

void Progress::erase() {
  if (drawn_ > 0) draw_text(fmt::format("\x1b[{}A\r\x1b[J", drawn_));
  if (width_ > 0) draw_text(fmt::format("\r{:<{}}\r", "", width_));
  drawn_ = width_ = 0;
}

}  // namespace heddle::cli
