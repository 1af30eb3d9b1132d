#include "cli/story.h"

#include "cli/anchoring.h"
#include "cli/pipeline.h"

#include <fmt/format.h>

#include "report/locals.h"
#include "report/own_lines.h"
#include "report/waits.h"
#include "simplify/causality.h"
#include "simplify/doomed.h"
#include "store/replay_string.h"
#include "store/saved_anchors.h"
#include "store/saved_cause.h"
#include "store/saved_origins.h"
#include "store/saved_stacks.h"
#include "wire/event_stacks.h"

namespace heddle::cli {

namespace {

constexpr size_t kLongestReplay = 4000;  // characters that one still pastes

std::string one_line(const std::string& text) {
  std::string line;
  for (char c : text) {
    if (c != '\n' && c != ' ') {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

// The line in which a test framework or the program itself says what failed.
std::string last_words(const Trace& trace, const std::string& out, const std::string& err) {
  const OutcomeKind kind = trace.outcome().kind;
  if (kind != OutcomeKind::kExit && kind != OutcomeKind::kOutput) return {};
  // A failed EXPECT of GoogleTest or REQUIRE of Catch2: the place, then what was expected.
  for (const std::string* text : {&out, &err}) {
    for (const std::string_view mark : {": Failure\n", ": FAILED:\n"}) {
      const size_t at = text->find(mark);
      if (at == std::string::npos) continue;
      const size_t begin = text->rfind('\n', at);
      const size_t line = begin == std::string::npos ? 0 : begin + 1;
      size_t end = at + mark.size();
      for (int lines = 0; lines < 6 && end < text->size(); ++lines) {
        const size_t next = std::min(text->size(), text->find('\n', end));
        if (next == end || (*text)[end] == '[') break;
        end = next + 1;
      }
      return one_line(text->substr(line, end - line));
    }
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

std::string replay_of(const Bug& bug, const Trace& failing, const std::optional<Anchors>& anchors) {
  ReplayString replay = replay_string_of(bug, failing, anchors);
  if (const std::string text = encode_replay(replay); text.size() <= kLongestReplay) return text;
  replay.anchors.reset();
  const std::string text = encode_replay(replay);
  return text.size() <= kLongestReplay ? text : std::string();
}

// Every event at the program's own line. One run without the other would differ in every place that is told.
void tell_places(LoadedStory& s, const std::string& saved, const std::string& saved_passing) {
  Stacks stacks = decode_stacks(saved), passing_stacks = decode_stacks(saved_passing);
  if (stacks.empty() || (s.passing && passing_stacks.empty())) return;
  s.stacks = std::move(stacks);
  s.passing_stacks = std::move(passing_stacks);
  const std::optional<Trace> passing = s.passing;
  if (passing) {
    const Symbols symbols(module_paths_of(*passing));
    s.passing = trace_with_locals(trace_at_own_lines(*passing, s.passing_stacks, symbols), decode_locals(saved_passing), symbols);
  }
  s.at_own_lines = trace_with_locals(trace_at_own_lines(s.failing, s.stacks, *s.symbols), decode_locals(saved), *s.symbols);
  if (!s.cause) return;
  const OwnLines failing{s.failing, s.at_own_lines};
  if (passing) {
    const OwnLines other{*passing, *s.passing};
    s.cause = cause_at_own_lines(*s.cause, failing, &other);
  } else {
    s.cause = cause_at_own_lines(*s.cause, failing, nullptr);
  }
}

}  // namespace

Story LoadedStory::story() const {
  Story s{bug, at_own_lines, *symbols};
  s.replay = replay;
  s.output = output;
  s.page = page;
  if (!stacks.empty()) s.stacks = &stacks;
  if (!passing_stacks.empty()) s.passing_stacks = &passing_stacks;
  if (passing) s.passing = &*passing;
  if (cause) s.cause = &*cause;
  if (reduction) s.reduction = &*reduction;
  if (!origins.empty()) s.origins = &origins;
  return s;
}

LoadedStory make_story(const Bug& bug, const Trace& failing, const std::optional<Trace>& passing, const std::optional<Cause>& cause,
                       const std::string& output, const std::optional<Anchors>& anchors) {
  LoadedStory s;
  s.bug = bug;
  s.failing = failing;
  s.symbols = std::make_unique<Symbols>(module_paths_of(failing));
  s.at_own_lines = failing;
  s.passing = passing;
  s.cause = cause;
  s.replay = replay_of(bug, failing, anchors);
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
  // Those of the simplified run, where there is one: saved with it.
  std::optional<Anchors> anchors;
  if (simplified == store.has(bug, kSimplifiedTrace)) anchors = decode_anchors(store.text(bug, kAnchorsFile));
  LoadedStory s =
      make_story(bug, failing, passing, cause, last_words(failing, store.text(bug, kStdout), store.text(bug, kStderr)), anchors);
  if (simplified) tell_places(s, store.text(bug, kFailingStacks), store.text(bug, kPassingStacks));
  if (simplified) s.found = store.load_trace(bug, kFailingTrace);
  if (store.has(bug, kReducedTrace)) s.reduced = store.load_trace(bug, kReducedTrace);
  if (simplified) s.origins = decode_origins(store.text(bug, kOriginsFile), failing.threads().size());
  s.reduction = decode_reduction(store.text(bug, kReductionFile));
  if (store.has(bug, kPageFile)) s.page = BugStore::shown(bug.id) + "/" + kPageFile;
  return s;
}

namespace {

DoomedPoint doomed_point(Campaign& campaign, const Trace& failing, double seconds, uint64_t seed) {
  DoomedOptions options;
  options.seed = seed;
  options.seconds = seconds;
  options.max_executions = 400;
  options.stop = &stop_flag();
  options.limits.watchdog_ms = campaign.base().limits.watchdog_ms;
  const DoomedResult result = doomed(
      failing, [&](const Trace& trace) { return same_bug(failing, trace); }, campaign.pool(), options);
  DoomedPoint point;
  if (!result.found) return point;
  point.known = true;
  point.from_start = result.from_start;
  if (!result.from_start) point.step = result.event;
  point.failed_before = result.before.failed;
  point.sampled_before = result.before.failed + result.before.passed;
  point.sampled_after = result.after.failed + result.after.passed;
  return point;
}

}  // namespace

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
    if (seconds <= 0 || result.cause.seconds < seconds) tested.cause->doomed = doomed_point(campaign, failing, seconds / 3, seed);
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::kInterrupted) throw;
  }
  progress.clear();
  return tested;
}

std::optional<KnownStacks> stacks_of(Campaign& campaign, const Trace& trace) {
  Plan plan = campaign.replay_plan(trace);
  plan.detect |= kDetectStacks;
  const Trace again = campaign.pool().run_now(plan).trace;
  if (first_difference(trace, again) != kNoDifference) return std::nullopt;
  return KnownStacks{stacks_in(again), locals_in(again)};
}

std::vector<TimingNeed> timing_needs_of(Campaign& campaign, const Trace& trace) {
  std::vector<TimingNeed> needs = timing_needs(trace);
  if (needs.empty()) return needs;
  const std::optional<KnownStacks> stacks = stacks_of(campaign, trace);
  return stacks ? timing_needs(trace_at_own_lines(trace, stacks->calls, Symbols(module_paths(trace)))) : needs;
}

void save_stacks(const Bug& bug, Campaign& campaign, const Trace& failing, const std::optional<Trace>& passing) {
  const BugStore store;
  auto save = [&](const char* name, const std::optional<KnownStacks>& stacks) {
    if (stacks) {
      store.save_text(bug.id, name, encode_stacks(stacks->calls, stacks->locals));
    } else {
      store.remove(bug.id, name);
    }
  };
  save(kFailingStacks, stacks_of(campaign, failing));
  save(kPassingStacks, passing ? stacks_of(campaign, *passing) : std::optional<KnownStacks>());
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

void lead_with_lines(Json& causes, const Story& story) {
  Names names(story.failing, story.symbols, story.stacks);
  Json all = Json::array();
  for (const DecidingLine& line : diagnose(names, story).lines)
    all.push_back({{"file", line.frame.file}, {"line", line.frame.line}, {"thread", names.thread(line.thread)}, {"what", line.caption}});
  for (Json& cause : causes) all.push_back(std::move(cause));
  causes = std::move(all);
}

Json json_diagnosis(const Story& story) {
  Names names(story.failing, story.symbols, story.stacks);
  const Diagnosis d = diagnose(names, story);
  Json j = {{"class", rule_name(d.kind)}, {"subject", d.subject}, {"title", d.title()}, {"why", d.why}, {"fix", d.fix}};
  j["lines"] = Json::array();
  for (const DecidingLine& line : d.lines) {
    Json entry = {{"file", line.frame.file}, {"line", line.frame.line}, {"thread", names.thread(line.thread)}, {"what", line.caption}};
    if (line.to != 0) entry["stretch"] = Json::array({line.from, line.to});
    j["lines"].push_back(std::move(entry));
  }
  if (story.cause != nullptr && (story.cause->kind != CauseKind::kNone || !d.parts.empty())) {
    const Cause& c = *story.cause;
    const char* kind = c.kind == CauseKind::kWindow ? "window" : c.kind == CauseKind::kOrder ? "order" : "none";
    auto side = [](const CauseSide& s) { return Json{{"failed", s.failed}, {"passed", s.passed}, {"other", s.other}}; };
    j["claim"] = {{"sentence", d.claim},         {"kind", kind},
                  {"exact", c.exact()},          {"inside", side(c.inside)},
                  {"outside", side(c.outside)},  {"executions", c.executions},
                  {"enough", d.enough},          {"parts", d.parts},
                  {"together", side(c.together)}};
  }
  if (!d.doomed.empty()) j["doomed"] = d.doomed;
  if (!d.waits.empty()) {
    j["waits"] = Json::array();
    for (const WaitEdge& w : d.waits) {
      j["waits"].push_back({{"thread", names.thread(w.thread)},
                            {"at", w.at},
                            {"for", awaited(names, w)},
                            {"holder", w.holder == kNoIndex ? "" : names.thread(w.holder)},
                            {"taken_at", w.taken_at},
                            {"in_cycle", w.in_cycle}});
    }
  }
  return j;
}

}  // namespace heddle::cli
