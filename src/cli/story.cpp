#include "cli/story.h"

#include <fmt/format.h>

#include "cli/pipeline.h"
#include "simplify/causality.h"
#include "trace/replay_string.h"

namespace heddle {

namespace {

constexpr size_t kLongestReplay = 4000;  // characters that one still pastes

// The line in which a test framework or the program itself says what failed.
std::string last_words(const Trace& trace, const std::string& out, const std::string& err) {
  const OutcomeKind kind = trace.outcome().kind;
  if (kind != OutcomeKind::kExit && kind != OutcomeKind::kOutput) return {};
  for (const std::string* text : {&out, &err}) {
    size_t at = text->find(": Failure\n");  // a failed EXPECT: the place, then what was expected
    if (at == std::string::npos) continue;
    const size_t begin = text->rfind('\n', at);
    const size_t line = begin == std::string::npos ? 0 : begin + 1;
    size_t end = at + 10;
    for (int lines = 0; lines < 4 && end < text->size(); ++lines) {
      const size_t next = std::min(text->size(), text->find('\n', end));
      if (next == end) break;
      end = next + 1;
    }
    std::string words = text->substr(line, end - line);
    for (char& c : words) {
      if (c == '\n') c = ' ';
    }
    return words;
  }
  for (const std::string* text : {&err, &out}) {
    size_t end = text->size();
    while (end > 0 && (*text)[end - 1] == '\n') --end;
    if (end == 0) continue;
    const size_t begin = text->rfind('\n', end - 1);
    return text->substr(begin == std::string::npos ? 0 : begin + 1, end - (begin == std::string::npos ? 0 : begin + 1));
  }
  return {};
}

std::string replay_of(const Bug& bug, const Trace& failing) {
  ReplayString replay;
  replay.build_id = bug.build_id;
  replay.command = bug.command;
  replay.kind = bug.kind;
  replay.signature = signature(failing);
  replay.plan = plan_of(failing);
  const std::string text = encode_replay(replay);
  return text.size() <= kLongestReplay ? text : std::string();
}

}  // namespace

Story LoadedStory::story() const {
  Story s{bug, failing, *symbols, nullptr, nullptr, replay, output};
  if (passing) s.passing = &*passing;
  if (cause) s.cause = &*cause;
  return s;
}

LoadedStory make_story(const Bug& bug, const Trace& failing, const std::optional<Trace>& passing, const std::optional<Cause>& cause,
                       const std::string& output) {
  LoadedStory s;
  s.bug = bug;
  s.failing = failing;
  s.passing = passing;
  s.cause = cause;
  s.symbols = std::make_unique<Symbols>(module_paths_of(failing));
  s.replay = replay_of(bug, failing);
  s.output = output;
  return s;
}

LoadedStory load_story(const std::string& name, bool as_found) {
  const BugStore store;
  const Bug bug = store.load(name);
  const bool simplified = !as_found && store.has(bug, kSimplifiedTrace);
  const Trace failing = store.load_trace(bug, simplified ? kSimplifiedTrace : kFailingTrace);
  std::optional<Trace> passing;
  if (store.has(bug, kPassingTrace)) passing = store.load_trace(bug, kPassingTrace);
  // The claim speaks of steps of the simplified run.
  std::optional<Cause> cause;
  if (simplified && store.has(bug, kCauseFile)) cause = decode_cause(store.text(bug, kCauseFile));
  LoadedStory s = make_story(bug, failing, passing, cause, last_words(failing, store.text(bug, kStdout), store.text(bug, kStderr)));
  if (simplified) s.found = store.load_trace(bug, kFailingTrace);
  if (store.has(bug, kReducedTrace)) s.reduced = store.load_trace(bug, kReducedTrace);
  return s;
}

TestedCause test_cause(Campaign& campaign, const Trace& failing, const std::optional<Trace>& passing, double seconds, uint64_t seed,
                       Progress& progress) {
  CausalityOptions options;
  options.passing = passing;
  options.seconds = seconds;
  options.stop = &stop_flag();
  options.seed = seed;
  options.limits.watchdog_ms = campaign.base().limits.watchdog_ms;
  progress.show("testing what decides");
  TestedCause tested;
  try {
    const CausalityResult result = causality(
        failing, [&](const Trace& trace) { return same_bug(failing, trace); }, campaign.pool(), options);
    tested.cause = result.cause;
    tested.passing = result.passing;
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::kInterrupted) throw;
  }
  progress.clear();
  return tested;
}

void save_cause(const Bug& bug, const TestedCause& tested, bool passing_saved) {
  const BugStore store;
  if (tested.cause) {
    store.save_text(bug.id, kCauseFile, encode_cause(*tested.cause));
  } else {
    store.remove(bug.id, kCauseFile);
  }
  if (tested.passing && !passing_saved) store.save_trace(bug.id, kPassingTrace, *tested.passing);
}

Json json_diagnosis(const Story& story) {
  Names names(story.failing, story.symbols);
  const Diagnosis d = diagnose(names, story.cause);
  Json j = {{"class", rule_name(d.kind)}, {"subject", d.subject}, {"title", d.title()}, {"why", d.why}};
  j["lines"] = Json::array();
  for (const DecidingLine& line : d.lines) {
    const auto frame = names.frame(line.site);
    j["lines"].push_back({{"file", frame ? frame->file : ""},
                          {"line", frame ? frame->line : 0},
                          {"thread", names.thread(line.thread)},
                          {"what", line.caption}});
  }
  if (story.cause != nullptr && story.cause->kind != CauseKind::kNone) {
    const Cause& c = *story.cause;
    auto side = [](const CauseSide& s) { return Json{{"failed", s.failed}, {"passed", s.passed}, {"other", s.other}}; };
    j["claim"] = {{"sentence", d.claim},        {"kind", c.kind == CauseKind::kWindow ? "window" : "order"},
                  {"exact", c.exact()},         {"inside", side(c.inside)},
                  {"outside", side(c.outside)}, {"executions", c.executions}};
  }
  if (!d.waits.empty()) {
    j["waits"] = Json::array();
    for (const WaitEdge& w : d.waits) {
      j["waits"].push_back({{"thread", names.thread(w.thread)},
                            {"at", w.at},
                            {"for", names.object(w.object, w.op)},
                            {"holder", w.holder == kNoIndex ? "" : names.thread(w.holder)},
                            {"taken_at", w.taken_at},
                            {"in_cycle", w.in_cycle}});
    }
  }
  return j;
}

}  // namespace heddle
