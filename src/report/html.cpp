#include "report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "report/arrows.h"
#include "report/diagnosis.h"
#include "report/junit.h"
#include "report/origin_text.h"
#include "report/page_assets.h"
#include "report/short_places.h"
#include "report/waits.h"
#include "wire/disabled_hooks.h"

namespace heddle::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostEvents = 3'000;    // of each run
constexpr size_t kMostArrows = 400;      // of each run
constexpr size_t kMostOrigins = 500;     // lines that led to the failure
constexpr size_t kMostSource = 300'000;  // bytes of source text
constexpr size_t kLongestFile = 4'000;   // lines

// Strings that occur often, once.
class Pool {
 public:
  size_t index(const std::string& text) {
    const auto [at, fresh] = known_.try_emplace(text, texts_.size());
    if (fresh) texts_.push_back(text);
    return at->second;
  }
  const Json& texts() const { return texts_; }

 private:
  std::map<std::string, size_t> known_;
  Json texts_ = Json::array();
};

class Page {
 public:
  explicit Page(const Story& story) : story_(story), names_(story.failing, story.symbols, story.stacks), d_(diagnose(names_, story)) {
    name_file_once(d_, names_.only_file());
  }

  Json data(const OtherRuns& extra) {
    Json j;
    std::string command;
    for (const std::string& word : story_.bug.command) command += (command.empty() ? "" : " ") + word;
    j["bug"] = {{"id", story_.bug.id},          {"title", d_.title()},         {"ending", d_.ending},
                {"why", d_.why + "."},          {"claim", d_.claim},           {"fix", d_.fix},
                {"doomed", d_.doomed},          {"class", rule_name(d_.kind)}, {"command", command},
                {"saved", story_.bug.saved_at}, {"version", HEDDLE_VERSION}};
    j["bug"]["enough"] = d_.enough;
    j["bug"]["parts"] = d_.parts;
    j["granularity"] = granularity();
    j["runs"] = Json::array();
    j["runs"].push_back(run("failing", "Failing, simplified", story_.failing, &names_));
    if (story_.passing != nullptr) j["runs"].push_back(other_run("passing", "Nearest passing", *story_.passing));
    if (extra.found != nullptr) j["runs"].push_back(other_run("found", "As found", *extra.found));
    if (extra.reduced != nullptr && !extra.reduced->data().skips.empty())
      j["runs"].push_back(other_run("reduced", "Threads removed", *extra.reduced));
    j["lines"] = Json::array();
    for (const DecidingLine& line : d_.lines)
      j["lines"].push_back({{"at", Json::array({file(names_, line.frame.file), line.frame.line})},
                            {"from", line.from},
                            {"to", line.to},
                            {"what", line.caption},
                            {"step", line.step == kNoDifference ? Json(nullptr) : Json(line.step)}});
    j["slice"] = origins();
    j["deciding"] = d_.deciding == kNoDifference ? Json(nullptr) : Json(d_.deciding);
    j["waits"] = Json::array();
    for (const WaitEdge& w : d_.waits)
      j["waits"].push_back({{"thread", names_.thread(w.thread)},
                            {"at", w.at},
                            {"for", awaited(names_, w)},
                            {"holder", w.holder == kNoIndex || w.op == Op::kThreadJoin ? "" : names_.thread(w.holder)},
                            {"taken", w.taken_at},
                            {"cycle", w.in_cycle}});
    j["races"] = Json::array();
    std::set<std::string> shown;
    for (SiteId site : story_.failing.data().sites) {
      if (site != without_hook_bit(site) || site == kAfterReleases) continue;
      // In a library's header: the line of the program that led there.
      const std::optional<Frame> own = own_line(names_, site);
      if (!own) continue;
      const std::string where = Names::place(*own);
      const std::string text = names_.symbols().source_statement(own->file, own->line).value_or("");
      if (shown.insert(where).second && shown.size() <= 200)
        j["races"].push_back({{"at", Json::array({file(names_, own->file), own->line})}, {"place", where}, {"text", text}});
    }
    j["notes"] = Json::array();
    for (const Note& note : story_.failing.notes()) j["notes"].push_back({{"text", note.text}, {"count", note.count}});
    const Bug& b = story_.bug;
    j["effort"] = {{"executions", b.find_executions},
                   {"strategy", b.strategy},
                   {"simplify", b.simplify_executions},
                   {"minimal", b.minimal},
                   {"certificate", b.certificate}};
    j["commands"] = Json::array({"heddle replay " + b.id, "heddle replay " + b.id + " --gdb", "heddle explain " + b.id + " --all"});
    if (!story_.replay.empty()) j["commands"].push_back("heddle replay " + story_.replay);
    j["texts"] = pool_.texts();
    j["files"] = files_;
    return j;
  }

 private:
  // The lines that led to the failure: the nearest, each with those that its value came from.
  Json origins() {
    Json all = Json::array();
    if (story_.origins == nullptr) return all;
    const std::vector<OriginLine>& lines = *story_.origins;
    const std::vector<size_t> shown = nearest_origins(lines, kMostOrigins);
    std::map<size_t, size_t> place;
    for (size_t i = 0; i < shown.size(); ++i) place[shown[i]] = i;
    for (size_t i : shown) {
      Json from = Json::array();
      for (uint32_t other : lines[i].from) {
        if (const auto at = place.find(other); at != place.end()) from.push_back(at->second);
      }
      all.push_back({{"at", Json::array({file(names_, lines[i].file), lines[i].line})},
                     {"thread", names_.thread(lines[i].thread)},
                     {"step", lines[i].step},
                     {"value", lines[i].value},
                     {"times", lines[i].times},
                     {"from", from}});
    }
    return all;
  }

  // What this run could and could not see: a page without it would look as if nothing were hidden.
  std::string granularity() const {
    const bool instrumented =
        std::any_of(story_.failing.modules().begin(), story_.failing.modules().end(), [](const Module& m) { return m.instrumented; });
    switch (story_.failing.data().points) {
      case PointKind::kSync:
        return instrumented ? "Threads were switched at library calls only (locks, conditions, threads, sleeps), although accesses of the "
                              "instrumented "
                              "parts were seen."
                            : "Threads were switched at library calls only (locks, conditions, threads, sleeps). Memory accesses were not "
                              "seen: what "
                              "happens between two calls happens at once here. Build with heddle-cc or heddle-c++ to see them.";
      case PointKind::kAtomics:
        return "Threads were switched at library calls and at atomic operations of instrumented code; not at plain accesses.";
      case PointKind::kRacy:
        return "Threads were switched at library calls, at atomic operations and at the accesses that race; not at other accesses.";
      case PointKind::kFunctions: return "Threads were switched at library calls and where functions of instrumented code are entered.";
      case PointKind::kAll: return "Threads were switched at library calls and at every memory access of instrumented code.";
    }
    return {};
  }

  // The program's own line at that site, or the one that led to its first event.
  static std::optional<Frame> own_line(const Names& names, SiteId site) {
    auto frame = names.frame(site);
    if (frame && !frame->file.empty() && frame->line > 0 && !is_system_source(frame->file)) return frame;
    const auto events = names.trace().events();
    for (size_t i = 0; i < events.size(); ++i) {
      if (events[i].site != site) continue;
      const auto calls = names.calls(i);
      return calls.empty() ? std::nullopt : std::optional(calls.front());
    }
    return std::nullopt;
  }

  // [file, line], or null where there is no source.
  Json place(const Names& names, SiteId site) {
    const auto frame = names.frame(site);
    if (!frame || frame->file.empty() || frame->line <= 0 || is_system_source(frame->file)) return nullptr;
    return Json::array({file(names, frame->file), frame->line});
  }

  size_t file(const Names& names, const std::string& path) {
    const auto [at, fresh] = known_files_.try_emplace(path, files_.size());
    if (!fresh) return at->second;
    Json lines = Json::array();
    size_t bytes = 0;
    for (int n = 1; static_cast<size_t>(n) <= kLongestFile && source_bytes_ + bytes < kMostSource; ++n) {
      const auto line = names.symbols().source_line(path, n);
      if (!line) break;
      bytes += line->size() + 3;
      lines.push_back(*line);
    }
    source_bytes_ += bytes;
    files_.push_back({{"path", path}, {"name", path.substr(path.rfind('/') + 1)}, {"lines", lines}});
    return at->second;
  }

  Json other_run(const char* id, const char* title, const Trace& trace) {
    const Symbols symbols(module_paths_of(trace));
    Names names(trace, symbols);
    names.adopt(names_);
    return run(id, title, trace, &names);
  }

  Json run(const char* id, const char* title, const Trace& trace, Names* names) {
    const Counts c = trace.counts();
    Json j = {{"id", id},
              {"title", title},
              {"events", c.events},
              {"threads_run", c.threads},
              {"switches", c.switches},
              {"preemptions", c.preemptions}};
    j["threads"] = Json::array();
    for (uint32_t t = 0; t < trace.threads().size(); ++t) j["threads"].push_back(names->thread(t));
    const auto events = trace.events();
    const size_t begin = events.size() > kMostEvents ? events.size() - kMostEvents : 0;
    j["first"] = begin;
    Json list = Json::array();
    std::map<SiteId, Json> places;
    for (size_t i = begin; i < events.size(); ++i) {
      const Event& e = events[i];
      auto at = places.find(e.site);
      if (at == places.end()) at = places.emplace(e.site, place(*names, e.site)).first;
      Json entry = Json::array({e.thread, pool_.index(names->operation(e))});
      // Where a library's line is meant the caller's is shown, as far as the stack was kept.
      const auto calls = at->second.is_null() && names->stacks() != nullptr ? names->calls(i) : std::vector<Frame>();
      if (!at->second.is_null()) {
        entry.push_back(at->second[0]);
        entry.push_back(at->second[1]);
      } else if (!calls.empty()) {
        entry.push_back(file(*names, calls.front().file));
        entry.push_back(calls.front().line);
      }
      list.push_back(std::move(entry));
    }
    j["list"] = std::move(list);
    j["arrows"] = Json::array();
    for (const Arrow& a : arrows(trace, kMostArrows)) {
      if (a.from >= begin) j["arrows"].push_back(Json::array({a.from - begin, a.to - begin, a.kind}));
    }
    j["preempted"] = Json::array();
    for (const TraceSlice& slice : trace.slices()) {
      if (slice.preempted && slice.end > begin) j["preempted"].push_back(slice.end - 1);
    }
    const bool failed = is_failure(trace.outcome()) || &trace == &story_.failing;
    j["ending"] = failed ? ending_sentence(trace, names->symbols()) : std::string("passes");
    return j;
  }

  const Story& story_;
  Names names_;
  Diagnosis d_;
  Pool pool_;
  Json files_ = Json::array();
  std::map<std::string, size_t> known_files_;
  size_t source_bytes_ = 0;
};

// JSON inside a script element: no "<" may end the element, and nothing may look like markup to anybody.
std::string script_safe(const std::string& json) {
  std::string out;
  for (char c : json) {
    switch (c) {
      case '<': out += "\\u003c"; break;
      case '>': out += "\\u003e"; break;
      case '&': out += "\\u0026"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace

std::string html_page(const Story& story, const OtherRuns& extra) {
  Page page(story);
  const Json data = page.data(extra);
  const std::string title = fmt::format("BUG {}: {}", story.bug.id, data["bug"]["title"].get<std::string>());
  std::string out = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  out +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src "
      "'unsafe-inline'\">\n";
  out += fmt::format("<title>{}</title>\n<style>\n", xml_escaped(title));
  out += kPageStyle;
  out += "</style>\n</head>\n<body>\n<noscript>This page needs its script to draw the schedule.</noscript>\n<main id=\"page\"></main>\n";
  out += "<script type=\"application/json\" id=\"data\">";
  out += script_safe(data.dump(-1, ' ', false, Json::error_handler_t::replace));
  out += "</script>\n<script type=\"module\">\n";
  out += kPageScript;
  out += "</script>\n</body>\n</html>\n";
  return out;
}

namespace {

constexpr FormatRow kHtmlFormat{10, "html", "report.html",
                                [](const Story& story, const OtherRuns& others) { return html_page(story, others); }};
HEDDLE_ROW(formats, kHtmlFormat);

}  // namespace

}  // namespace heddle::report
