#include "report/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "trace/objects.h"

namespace heddle::report {

std::string Case::happened(size_t step) const {
  const Event& e = trace.events()[step];
  return fmt::format("{} {}{} (step {})", thread(e.thread), names.operation(e), at(step), step + 1);
}

std::string Case::place(size_t step) const {
  if (step >= trace.events().size()) return {};
  if (const auto calls = names.calls(step); !calls.empty()) return Names::place(calls.front());
  const SiteId site = trace.events()[step].site;
  return names.own_place(site).empty() ? std::string() : names.place(site);
}

std::string Case::passing_place(size_t step) const {
  if (passing_stacks != nullptr && step < passing_stacks->size()) {
    if (const auto calls = names.calls((*passing_stacks)[step]); !calls.empty()) return Names::place(calls.front());
  }
  const SiteId site = passing->events()[step].site;
  return names.own_place(site).empty() ? std::string() : names.place(site);
}

std::string Case::at(size_t step) const {
  const std::string where = place(step);
  return where.empty() ? where : " at " + where;
}

std::string Case::place_and_caller(size_t step) const {
  const auto calls = step < trace.events().size() ? names.calls(step) : std::vector<Frame>();
  if (calls.size() < 2) return place(step);
  return fmt::format("{} (called at {})", Names::place(calls[0]), Names::place(calls[1]));
}

bool has_name(const std::string& text, const std::string& name) {
  auto in_name = [&](size_t i) { return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_'); };
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    if ((at == 0 || !in_name(at - 1)) && !in_name(at + name.size())) return true;
  }
  return false;
}

int Case::line_with(const std::string& file, const std::vector<std::string>& words, const std::string& name) const {
  constexpr int kMostLines = 20'000;
  if (name.empty()) return 0;
  for (int n = 1; n <= kMostLines; ++n) {
    auto text = names.symbols().source_line(file, n);
    if (!text) return 0;
    text->erase(std::min(text->size(), text->find("//")));
    const size_t begin = text->find_first_not_of(" \t");
    if (begin == std::string::npos || (*text)[begin] == '*' || text->compare(begin, 2, "/*") == 0 || !has_name(*text, name)) continue;
    if (std::all_of(words.begin(), words.end(), [&](const std::string& word) { return text->find(word) != std::string::npos; })) return n;
  }
  return 0;
}

std::string Case::join_place(uint32_t joined, uint32_t by) const {
  const auto threads = trace.threads();
  if (joined >= threads.size() || by >= threads.size()) return {};
  const ObjectId object = thread_object(threads[joined].id);
  if (threads[by].pending == Op::kThreadJoin && threads[by].object == object) {
    const SiteId site = threads[by].stack.empty() ? threads[by].site : names.own_site(threads[by].stack);
    return site == kNoSite || names.own_place(site).empty() ? std::string() : names.place(site);
  }
  for (const Trace* run : {&trace, passing}) {
    if (run == nullptr) continue;
    for (const Event& e : run->events()) {
      if (e.op == Op::kThreadJoin && e.object == object && run->thread_id(e) == threads[by].id && !names.own_place(e.site).empty())
        return names.place(e.site);
    }
  }
  return {};
}

}  // namespace heddle::report
