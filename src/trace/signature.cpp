// Which failures are the same bug (contract "Outcomes").
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "symbols/symbols.h"
#include "trace/trace.h"

namespace heddle::trace {

namespace {

// Frames of the program's own code come first in a signature: the same abort() is reached through many library frames.
bool in_system_library(const Trace& trace, SiteId site) {
  const uint32_t module = site_module(site);
  return module < trace.modules().size() && is_system_library_path(trace.modules()[module].path);
}

std::string site_name(const Trace& trace, SiteId site) {
  if (site == kNoSite) return "?";
  const uint32_t module = site_module(site);
  std::string path = module < trace.modules().size() ? trace.modules()[module].path : std::string("?");
  if (const size_t slash = path.rfind('/'); slash != std::string::npos) path.erase(0, slash + 1);
  return fmt::format("{}+{:x}", path, site_offset(site));
}

std::string first_own_frame(const Trace& trace, const std::vector<SiteId>& stack) {
  for (SiteId site : stack) {
    if (!in_system_library(trace, site)) return site_name(trace, site);
  }
  return stack.empty() ? std::string("?") : site_name(trace, stack.front());
}

// Digits and addresses differ between runs of the same bug.
std::string normalised(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool hex = text[i] == '0' && i + 1 < text.size() && text[i + 1] == 'x';
    if (hex || (text[i] >= '0' && text[i] <= '9')) {
      if (hex) i += 2;
      while (i < text.size() &&
             (hex ? std::isxdigit(static_cast<unsigned char>(text[i])) : std::isdigit(static_cast<unsigned char>(text[i]))))
        ++i;
      --i;
      out += '#';
    } else {
      out += text[i];
    }
  }
  return out;
}

// What the C library or a sanitizer writes before it aborts belongs to the failure; the last line that the program happened to have written
// does not, and where the abort is in the program's own code the place says more.
std::string abort_words(const Outcome& o, const std::string& frame) {
  if (frame == "?") return normalised(o.message);
  for (const char* mark : {"free()", "malloc", "munmap_chunk", "realloc()", "corrupt", "*** ", "Sanitizer", "runtime error", "pure virtual",
                           "terminate called"}) {
    if (o.message.find(mark) != std::string::npos) return normalised(o.message);
  }
  return {};
}

// Threads that are in a cycle of lock owners, or, where there is none, every blocked thread. A set of sites: removing a bystander or
// renaming threads leaves it alone.
std::set<std::string> deadlock_waits(const Trace& trace) {
  std::set<std::string> waits;
  const auto threads = trace.threads();
  auto wait_name = [&](const Thread& t) {
    return fmt::format("{}@{}", row(t.pending).name, t.stack.empty() ? site_name(trace, t.site) : first_own_frame(trace, t.stack));
  };
  for (size_t start = 0; start < threads.size(); ++start) {
    size_t at = start;
    std::vector<size_t> path;
    while (at != kNoIndex && at < threads.size() && threads[at].state == ThreadState::kBlocked && path.size() <= threads.size()) {
      path.push_back(at);
      at = threads[at].holder;
      if (at != start) continue;
      for (size_t i : path) waits.insert(wait_name(threads[i]));
      break;
    }
  }
  if (!waits.empty()) return waits;
  for (const Thread& t : threads) {
    if (t.state == ThreadState::kBlocked && t.pending != Op::kThreadJoin) waits.insert(wait_name(t));
  }
  return waits;
}

}  // namespace

std::string signature(const Trace& trace) {
  const Outcome& o = trace.outcome();
  switch (o.kind) {
    case OutcomeKind::kDeadlock: {
      std::string text = "deadlock:";
      for (const std::string& wait : deadlock_waits(trace)) text += " " + wait;
      return text;
    }
    case OutcomeKind::kAssert: return "assert: " + o.message;
    case OutcomeKind::kSignal: return fmt::format("signal {}: {}", o.code, first_own_frame(trace, o.stack));
    case OutcomeKind::kAbort: {
      const std::string frame = first_own_frame(trace, o.stack);
      return fmt::format("abort: {} {}", frame, abort_words(o, frame));
    }
    case OutcomeKind::kException: return fmt::format("exception: {} {}", first_own_frame(trace, o.stack), normalised(o.message));
    case OutcomeKind::kMisuse: return fmt::format("misuse: {} {}", first_own_frame(trace, o.stack), normalised(o.message));
    case OutcomeKind::kExit: return fmt::format("exit {}: {}", o.code, normalised(o.message));
    case OutcomeKind::kLivelock:
    case OutcomeKind::kOutput:
    case OutcomeKind::kExternalWait:
    case OutcomeKind::kCannotControl:
    case OutcomeKind::kDiverged:
    case OutcomeKind::kLimit:
    case OutcomeKind::kUnknown: return fmt::format("{}: {}", name(o.kind), normalised(o.message));
  }
  return "?";
}

bool same_bug(const Trace& a, const Trace& b) { return a.outcome().kind == b.outcome().kind && signature(a) == signature(b); }

bool is_inconclusive(const Outcome& o) {
  switch (o.kind) {
    case OutcomeKind::kExternalWait:
    case OutcomeKind::kCannotControl:
    case OutcomeKind::kDiverged:
    case OutcomeKind::kLimit:
    case OutcomeKind::kUnknown: return true;
    case OutcomeKind::kExit:
    case OutcomeKind::kSignal:
    case OutcomeKind::kAbort:
    case OutcomeKind::kAssert:
    case OutcomeKind::kException:
    case OutcomeKind::kDeadlock:
    case OutcomeKind::kLivelock:
    case OutcomeKind::kMisuse:
    case OutcomeKind::kOutput: return false;
  }
  return true;
}

bool is_failure(const Outcome& o, int expected_exit) {
  if (is_inconclusive(o)) return false;
  return o.kind != OutcomeKind::kExit || o.code != expected_exit;
}

}  // namespace heddle::trace
