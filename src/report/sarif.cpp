#include "report/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "report/diagnosis.h"
#include "trace/hash.h"

namespace heddle::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostLocations = 5'000;  // of a code flow: the beginning is left out

Json location(const Names& names, const std::optional<Frame>& frame, const std::string& message) {
  Json j = Json::object();
  if (frame && !frame->file.empty() && frame->line > 0 && !is_system_source(frame->file)) {
    Json region = {{"startLine", frame->line}};
    if (frame->column > 0) region["startColumn"] = frame->column;
    if (const auto text = names.symbols().source_line(frame->file, frame->line)) region["snippet"] = {{"text", *text}};
    j["physicalLocation"] = {{"artifactLocation", {{"uri", file_uri(frame->file)}}}, {"region", region}};
    if (!frame->function.empty()) j["logicalLocations"] = Json::array({{{"fullyQualifiedName", frame->function}, {"kind", "function"}}});
  }
  if (!message.empty()) j["message"] = {{"text", message}};
  return j;
}

bool physical(const Json& location) { return location.contains("physicalLocation"); }

Json code_flow(Names& names, const Diagnosis& d) {
  const Trace& trace = names.trace();
  const auto events = trace.events();
  std::map<uint32_t, Json> flows;
  std::vector<bool> preempted(events.size());
  for (const TraceSlice& slice : trace.slices()) {
    if (slice.preempted) preempted[slice.end - 1] = true;
  }
  const size_t begin = events.size() > kMostLocations ? events.size() - kMostLocations : 0;
  for (size_t i = begin; i < events.size(); ++i) {
    const Event& e = events[i];
    const bool decides = i == d.deciding || std::any_of(d.lines.begin(), d.lines.end(), [&](const DecidingLine& l) { return l.step == i; });
    Json at = {{"location",
                location(names, names.frame(e.site),
                         fmt::format("{} {}{}", names.thread(e.thread), names.operation(e), preempted[i] ? "; then it is preempted" : ""))},
               {"executionOrder", i + 1},
               {"importance", decides        ? "essential"
                              : preempted[i] ? "important"
                                             : "unimportant"}};
    flows[e.thread].push_back(at);
  }
  Json thread_flows = Json::array();
  for (auto& [thread, locations] : flows)
    thread_flows.push_back(
        {{"id", names.thread(thread)}, {"message", {{"text", "thread " + names.thread(thread)}}}, {"locations", std::move(locations)}});
  return {{"message", {{"text", "the failing schedule"}}}, {"threadFlows", std::move(thread_flows)}};
}

}  // namespace

std::string file_uri(const std::string& path) {
  std::string out = path.starts_with('/') ? "file://" : "";
  for (char c : path) {
    const auto u = static_cast<unsigned char>(c);
    const bool plain = (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || (u >= '0' && u <= '9') || c == '/' || c == '-' || c == '_' ||
                       c == '.' || c == '~';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", u);
  }
  return out;
}

std::string sarif_text(const Story& story) {
  Names names(story.failing, story.symbols, story.stacks);
  const Diagnosis d = diagnose(names, story);
  Json rule = {{"id", rule_name(d.kind)},
               {"name", rule_name(d.kind)},
               {"shortDescription", {{"text", words(d.kind)}}},
               {"fullDescription", {{"text", advice(d.kind)}}},
               {"defaultConfiguration", {{"level", "error"}}}};
  std::string message = d.title();
  if (!d.ending.empty()) message += fmt::format(" ({})", d.ending);
  message += fmt::format(". {}.", d.why);
  if (!d.claim.empty()) message += " " + d.claim;
  if (!d.enough.empty()) message += " " + d.enough;
  for (const std::string& part : d.parts) message += " " + part + ".";
  if (!d.fix.empty()) message += " Fix: " + d.fix;

  Json locations = Json::array(), related = Json::array();
  for (const DecidingLine& line : d.lines) {
    Json at = location(names, line.frame, line.caption);
    if (!physical(at)) continue;
    if (locations.empty()) {
      locations.push_back(at);
    } else {
      at["id"] = related.size() + 1;
      related.push_back(at);
    }
  }
  const std::string signature = story.bug.signature;
  Json result = {{"ruleId", rule_name(d.kind)}, {"ruleIndex", 0}, {"level", "error"}, {"message", {{"text", message}}}};
  result["locations"] = locations;
  if (!related.empty()) result["relatedLocations"] = related;
  result["codeFlows"] = Json::array({code_flow(names, d)});
  result["fingerprints"] = {{"heddleSignature/v1", fmt::format("{:016x}", hash_bytes(signature.data(), signature.size()))}};
  Json properties = {{"bug", story.bug.id},
                     {"signature", signature},
                     {"preemptions", story.failing.counts().preemptions},
                     {"switches", story.failing.counts().switches}};
  if (!story.bug.test.empty()) properties["test"] = story.bug.test;
  if (!story.replay.empty()) properties["replay"] = "heddle replay " + story.replay;
  result["properties"] = properties;

  std::string command;
  for (const std::string& word : story.bug.command) command += (command.empty() ? "" : " ") + word;
  Json notes = Json::array();
  for (const Note& note : story.failing.notes())
    notes.push_back({{"message", {{"text", "not controlled: " + note.text}}}, {"level", "note"}});
  Json invocation = {{"executionSuccessful", true}, {"commandLine", "heddle debug -- " + command}};
  if (!notes.empty()) invocation["toolExecutionNotifications"] = notes;
  const Json document = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", Json::array({{{"tool", {{"driver", {{"name", "heddle"}, {"version", HEDDLE_VERSION}, {"rules", Json::array({rule})}}}}},
                             {"invocations", Json::array({invocation})},
                             {"columnKind", "unicodeCodePoints"},
                             {"results", Json::array({result})}}})}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

constexpr FormatRow kSarifFormat{20, "sarif", "report.sarif", [](const Story& story, const OtherRuns&) { return sarif_text(story); }};
HEDDLE_ROW(formats, kSarifFormat);

}  // namespace

}  // namespace heddle::report
