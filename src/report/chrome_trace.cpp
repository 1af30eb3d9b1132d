#include "report/chrome_trace.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/diagnosis.h"

namespace heddle::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kStep = 10;  // microseconds of the shown clock for each operation: there is no other time in a schedule

void add_run(Json& events, const Trace& trace, int process, const char* title, const Diagnosis* d) {
  const Symbols symbols(module_paths_of(trace));
  Names names(trace, symbols);
  events.push_back({{"name", "process_name"}, {"ph", "M"}, {"pid", process}, {"args", {{"name", title}}}});
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    events.push_back({{"name", "thread_name"}, {"ph", "M"}, {"pid", process}, {"tid", t + 1}, {"args", {{"name", names.thread(t)}}}});
    events.push_back({{"name", "thread_sort_index"}, {"ph", "M"}, {"pid", process}, {"tid", t + 1}, {"args", {{"sort_index", t}}}});
  }
  for (size_t i = 0; i < trace.events().size(); ++i) {
    const Event& e = trace.events()[i];
    events.push_back({{"name", names.operation(e)},
                      {"cat", row(e.op).name},
                      {"ph", "X"},
                      {"ts", i * kStep},
                      {"dur", kStep},
                      {"pid", process},
                      {"tid", e.thread + 1},
                      {"args", {{"step", i + 1}, {"at", names.place(e.site)}, {"source", names.statement(e.site)}}}});
  }
  for (const TraceSlice& slice : trace.slices()) {
    if (!slice.preempted) continue;
    const bool decides = d != nullptr && slice.begin <= d->deciding && d->deciding < slice.end;
    events.push_back({{"name", decides ? "deciding preemption" : "preemption"},
                      {"ph", "i"},
                      {"s", "p"},
                      {"ts", slice.end * kStep},
                      {"pid", process},
                      {"tid", slice.thread + 1}});
  }
}

}  // namespace

std::string chrome_trace_text(const Story& story) {
  Names names(story.failing, story.symbols, story.stacks);
  const Diagnosis d = diagnose(names, story);
  Json events = Json::array();
  add_run(events, story.failing, 1, "failing", &d);
  if (story.passing != nullptr) add_run(events, *story.passing, 2, "nearest passing", nullptr);
  const Json document = {{"traceEvents", std::move(events)},
                         {"displayTimeUnit", "ms"},
                         {"otherData", {{"bug", story.bug.id}, {"title", d.title()}, {"clock", "10 microseconds are one operation"}}}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

constexpr FormatRow kPerfettoFormat{40, "perfetto", "perfetto.json",
                                    [](const Story& story, const OtherRuns&) { return chrome_trace_text(story); }};
HEDDLE_ROW(formats, kPerfettoFormat);

}  // namespace

}  // namespace heddle::report
