// Whether two builds failed in the same way.
#include <algorithm>

#include "trace/reanchor.h"
#include "trace/similar_text.h"

namespace heddle::trace {

// "balance >= 0 (bank.cpp:6, withdraw)"
std::string asserted_text(const std::string& message) {
  const size_t place = message.rfind(" (");
  return place != std::string::npos && message.ends_with(')') ? message.substr(0, place) : message;
}

namespace {

constexpr double kSameText = 0.6;
constexpr double kSameWait = 0.5;

bool same_place(const SourcePlace& a, const SourcePlace& b) {
  if ((a.function.empty() && a.file.empty()) || (b.function.empty() && b.file.empty())) return true;
  const bool function = a.function == b.function;
  if (a.text.empty() || b.text.empty()) return function;
  return function || similarity(a.text, b.text) >= kSameText;
}

bool same_message(const std::string& a, const std::string& b) { return a.empty() || b.empty() || similarity(a, b) >= kSameText; }

bool all_like(const std::vector<PlacedOperation>& some, const std::vector<PlacedOperation>& others) {
  return std::all_of(some.begin(), some.end(), [&](const PlacedOperation& a) {
    return std::any_of(others.begin(), others.end(), [&](const PlacedOperation& b) { return likeness(a, b) >= kSameWait; });
  });
}

}  // namespace

bool same_ending(const AnchoredEnding& before, const AnchoredEnding& now) {
  if (before.kind != now.kind) return false;
  if (before.kind == "deadlock") return all_like(before.waits, now.waits) && all_like(now.waits, before.waits);
  if (before.kind == "assert") return similarity(asserted_text(before.message), asserted_text(now.message)) >= kSameText;
  if (before.kind == "exit") return before.code == now.code && same_message(before.message, now.message);
  if (before.kind == "signal") return before.code == now.code && same_place(before.place, now.place);
  return same_message(before.message, now.message) && same_place(before.place, now.place);
}

}  // namespace heddle::trace
