#include "report/own_lines.h"

#include <unordered_map>

namespace heddle::report {

bool is_own_site(const Symbols& symbols, SiteId site) {
  if (site == kNoSite || symbols.is_system_library(site_module(site))) return false;
  const auto frame = symbols.user_frame(site_module(site), site_offset(site));
  return !frame || frame->file.empty() || !is_system_source(frame->file);
}

Trace trace_at_own_lines(const Trace& trace, const Stacks& stacks, const Symbols& symbols) {
  if (stacks.empty()) return trace;
  Trace::Data data = trace.data();
  std::unordered_map<SiteId, bool> known;
  auto own = [&](SiteId site) {
    const auto [at, fresh] = known.try_emplace(site, false);
    if (fresh) at->second = is_own_site(symbols, site);
    return at->second;
  };
  for (size_t i = 0; i < data.events.size() && i < stacks.size(); ++i) {
    // A thread's start and end are in nobody's code.
    if (data.events[i].op == Op::kThreadStart || data.events[i].op == Op::kThreadExit || own(data.events[i].site)) continue;
    for (SiteId site : stacks[i]) {
      // Start-up code is in the program too, but nobody wrote it.
      const auto frame = own(site) ? symbols.user_frame(site_module(site), site_offset(site)) : std::nullopt;
      if (!frame || frame->file.empty()) continue;
      data.events[i].site = site;
      break;
    }
  }
  // Where a lock was taken, told as the event that took it is.
  for (Thread& t : data.threads) {
    if (t.holder_site == kNoSite || own(t.holder_site)) continue;
    for (size_t i = trace.events().size(); i-- > 0;) {
      const Event& e = trace.events()[i];
      if (e.thread != t.holder || e.site != t.holder_site) continue;
      t.holder_site = data.events[i].site;
      break;
    }
  }
  return Trace(std::move(data));
}

namespace {

void to_own_line(CauseEvent& e, const OwnLines& failing, const OwnLines* passing) {
  if (e.step < failing.at_own_lines.events().size()) {
    e.site = failing.at_own_lines.events()[e.step].site;
    return;
  }
  for (const OwnLines* run : {&failing, passing}) {
    if (run == nullptr) continue;
    const auto events = run->trace.events();
    for (size_t i = 0; i < events.size(); ++i) {
      if (events[i].op != e.op || events[i].site != e.site || events[i].object != e.object || run->trace.thread_id(events[i]) != e.thread)
        continue;
      e.site = run->at_own_lines.events()[i].site;
      return;
    }
  }
}

}  // namespace

Cause cause_at_own_lines(const Cause& cause, const OwnLines& failing, const OwnLines* passing) {
  Cause c = cause;
  for (CauseEvent* e : {&c.first, &c.second, &c.between}) to_own_line(*e, failing, passing);
  for (CausePart& part : c.parts) {
    for (CauseEvent* e : {&part.first, &part.second}) to_own_line(*e, failing, passing);
  }
  return c;
}

}  // namespace heddle::report
