#include "report/origin_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/names.h"
#include "trace/clean_text.h"

namespace heddle::report {

std::vector<size_t> nearest_origins(const std::vector<OriginLine>& lines, size_t most) {
  std::vector<size_t> chosen(lines.size());
  for (size_t i = 0; i < chosen.size(); ++i) chosen[i] = i;
  std::stable_sort(chosen.begin(), chosen.end(), [&](size_t a, size_t b) { return lines[a].distance < lines[b].distance; });
  if (chosen.size() > most) chosen.resize(most);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::string origin_text(const std::vector<OriginLine>& lines, std::span<const Thread> threads, size_t most, size_t width) {
  const std::vector<size_t> chosen = nearest_origins(lines, most);
  std::string text;
  size_t names = 0, places = 0;
  const auto place_of = [](const OriginLine& l) { return fmt::format("{}:{}", l.file.substr(l.file.rfind('/') + 1), l.line); };
  for (size_t i : chosen) {
    names = std::max(names, thread_name(threads[lines[i].thread]).size());
    places = std::max(places, place_of(lines[i]).size());
  }
  for (size_t i : chosen) {
    const OriginLine& line = lines[i];
    std::string source = line.text.substr(std::min(line.text.size(), line.text.find_first_not_of(" \t")));
    const size_t room = width > names + places + 12 ? width - names - places - 12 : 20;
    std::string value = line.value.empty() ? "" : "   [" + line.value + "]";
    if (line.times > 1) value += fmt::format("  ({} times)", line.times);
    if (value.size() < room && source.size() + value.size() > room) source = source.substr(0, room - value.size() - 3) + "...";
    text +=
        clean_text(fmt::format("  {:<{}}  {:<{}}  {}{}", thread_name(threads[line.thread]), names, place_of(line), places, source, value)) +
        "\n";
  }
  if (chosen.size() < lines.size()) text += fmt::format("  {} more lines, further away\n", lines.size() - chosen.size());
  return text;
}

}  // namespace heddle::report
