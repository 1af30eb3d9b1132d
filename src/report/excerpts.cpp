#include "report/excerpts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace heddle::report {

namespace {

constexpr size_t kMostExcerpt = 22;  // lines of source and captions, without --all

struct Caption {
  int column;
  std::vector<std::string> threads;  // none where the words do not begin with it
  std::string words;                 // "took it here"
};
using Captions = std::vector<Caption>;

// "T1 took it here", "T2 took it here" at one place: "T1, T2: took it here".
void add_caption(Captions& captions, int column, const std::string& thread, const std::string& text) {
  const bool begins = text.rfind(thread + " ", 0) == 0;
  Caption caption{column, {}, begins ? text.substr(thread.size() + 1) : text};
  if (begins) caption.threads.push_back(thread);
  for (Caption& other : captions) {
    if (!begins || other.threads.empty() || other.column != column || other.words != caption.words) continue;
    other.threads.insert(std::upper_bound(other.threads.begin(), other.threads.end(), thread), thread);
    return;
  }
  captions.push_back(std::move(caption));
}

std::string spaces_for_tabs(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '\t') {
      do out += ' ';
      while (out.size() % 8 != 0);
    } else {
      out += c;
    }
  }
  return out;
}

void add_line(Screen& out, const Symbols& symbols, const std::string& file, int number, const std::string& source,
              const Captions& captions) {
  const std::string code = spaces_for_tabs(source);
  out += fmt::format("  {:>5} | {}", number, clean_line(code));
  out.end_line();
  const size_t begin = code.find_first_not_of(' ');
  if (begin == std::string::npos) return;
  const std::string statement = symbols.source_statement(file, number).value_or("");
  for (const Caption& caption : captions) {
    size_t at = caption.column > 0 ? static_cast<size_t>(caption.column) - 1 : begin;
    if (at < begin || at >= code.size() || code != source) at = begin;
    // To the end of the statement, without a comment behind it.
    const size_t end = std::min(code.size(), std::max(at + 1, begin + statement.size()));
    std::string who;
    for (const std::string& thread : caption.threads) who += (who.empty() ? "" : ", ") + thread;
    if (!who.empty()) who += caption.threads.size() > 1 ? ": " : " ";
    out += fmt::format("        | {}^{} {}{}\n", std::string(at, ' '), std::string(end - at - 1, '~'), who, caption.words);
  }
}

}  // namespace

void add_excerpts(Screen& out, const Names& names, const Diagnosis& diagnosis, bool all) {
  const Symbols& symbols = names.symbols();
  std::map<std::string, std::map<int, Captions>> files;
  std::vector<std::string> order;
  for (const DecidingLine& line : diagnosis.lines) {
    const Frame& frame = line.frame;
    if (!files.contains(frame.file)) order.push_back(frame.file);
    auto& lines = files[frame.file];
    for (int n = line.from; n != 0 && n <= line.to; ++n) lines[n];
    add_caption(lines[frame.line], frame.column, names.thread(line.thread), line.caption);
  }
  size_t length = 0;
  for (const auto& [file, lines] : files) {
    length += 2;
    for (const auto& [number, captions] : lines) length += 1 + captions.size();
  }
  if (length > kMostExcerpt && !all) {
    for (auto& [file, lines] : files) std::erase_if(lines, [](const auto& entry) { return entry.second.empty(); });
  }
  for (const std::string& file : order) {
    int last = 0;
    for (const auto& [number, captions] : files[file]) {
      const auto source = symbols.source_line(file, number);
      if (!source) continue;
      if (last == 0) out += fmt::format("\n   {}\n", file.substr(file.rfind('/') + 1));
      if (last != 0 && number > last + 1) out += "        ...\n";
      last = number;
      add_line(out, symbols, file, number, *source, captions);
    }
  }
}

}  // namespace heddle::report
