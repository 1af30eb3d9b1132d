#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace heddle::cli {

TextOptions text_options(bool all) {
  TextOptions options;
  options.all = all;
  const char* no_colour = std::getenv("NO_COLOR");
  options.colour = ::isatty(1) == 1 && (no_colour == nullptr || *no_colour == '\0');
  winsize size{};
  if (::ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col >= 60) options.width = size.ws_col;
  return options;
}

}  // namespace heddle::cli
