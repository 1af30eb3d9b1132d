#include "cli/results.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/print.h"
#include "report/names.h"
#include "report/timing.h"

namespace heddle::cli {

Json json_failure(const Trace& trace) {
  const Outcome& o = trace.outcome();
  Json j = {{"kind", name(o.kind)}, {"message", o.message}, {"signature", signature(trace)}};
  if (o.kind == OutcomeKind::kExit || o.kind == OutcomeKind::kSignal) j["code"] = o.code;
  if (o.memory.used != kNoSite) {
    // Use of freed memory: the three places, in the words of the source.
    std::vector<std::string> module_files;
    for (const Module& m : trace.modules()) module_files.push_back(m.path);
    const Symbols files(module_files);
    auto place = [&](SiteId site) { return site == kNoSite ? std::string() : files.describe(site_module(site), site_offset(site)); };
    j["memory"] = {{"used", place(o.memory.used)}, {"freed", place(o.memory.freed)}, {"allocated", place(o.memory.allocated)}};
  }
  return j;
}

Json json_timing(const Trace& trace) {
  Json needs = Json::array();
  for (const TimingNeed& need : timing_needs(trace))
    needs.push_back({{"kind", need.kind}, {"microseconds", need.microseconds}, {"sentence", need.sentence}});
  return needs;
}

Json json_counts(const Counts& c, bool with_paper) {
  Json j = {{"events", c.events}, {"threads", c.threads}, {"switches", c.switches}, {"preemptions", c.preemptions}};
  if (with_paper) j["preemptions_paper"] = c.preemptions_paper;
  return j;
}

Json json_cause(const Trace& trace, size_t deciding) {
  constexpr size_t kMostCauses = 16;
  Json causes = Json::array();
  std::vector<std::string> paths;
  for (const Module& module : trace.modules()) paths.push_back(module.path);
  const Symbols symbols(paths);
  Names names(trace, symbols);
  const auto events = trace.events();
  auto add = [&](const Event& e, const std::string& what) {
    const auto frame = names.frame(e.site);
    causes.push_back(
        {{"file", frame ? frame->file : ""}, {"line", frame ? frame->line : 0}, {"thread", names.thread(e.thread)}, {"what", what}});
  };
  auto add_switch = [&](const char* how, size_t end) {
    add(events[end - 1], fmt::format("{} after it {}; {} goes on with: {}", how, names.operation(events[end - 1]),
                                     names.thread(events[end].thread), names.operation(events[end])));
  };
  if (deciding < events.size() && deciding + 1 < events.size()) add_switch("the deciding switch:", deciding + 1);
  const bool preempted = trace.preemptions() > 0;
  for (const TraceSlice& slice : trace.slices()) {
    if (slice.end == events.size() || (preempted && !slice.preempted) || slice.end == deciding + 1) continue;
    if (causes.size() < kMostCauses) add_switch(slice.preempted ? "preempted" : "gives way", slice.end);
  }
  if (!events.empty()) {
    add(events.back(), fmt::format("last operation before the failure: {}", names.operation(events.back())));
  }
  return causes;
}

// A program's own words need not be UTF-8.
void print_json(const Json& document) {
  write_text(stdout, escape_steering(document.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n");
  std::fflush(stdout);
}

std::string describe_failure(const Trace& trace) {
  const Outcome& o = trace.outcome();
  std::string text = name(o.kind);
  if (o.kind == OutcomeKind::kExit) text += fmt::format(" code {}", o.code);
  if (!o.message.empty()) text += ": " + o.message.substr(0, o.message.find('\n'));
  return text;
}

std::string describe_counts(const Counts& c) {
  auto s = [](uint64_t n, const char* many) { return n == 1 ? "" : many; };
  return fmt::format("{} event{}, {} thread{}, {} switch{}, {} preemption{}", c.events, s(c.events, "s"), c.threads, s(c.threads, "s"),
                     c.switches, s(c.switches, "es"), c.preemptions, s(c.preemptions, "s"));
}

}  // namespace heddle::cli
