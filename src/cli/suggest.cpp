// heddle suggest: the smallest critical section or order that removes a failure, found by imposing it on runs.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <unordered_map>

#include "cli/pipeline.h"
#include "cli/print.h"
#include "cli/saved_bug.h"
#include "cli/story.h"
#include "report/own_lines.h"
#include "search/imposing.h"
#include "store/saved_anchors.h"
#include "store/saved_stacks.h"
#include "trace/anchors.h"
#include "trace/plain_points.h"
#include "trace/stacks.h"
#include "wire/event_stacks.h"

namespace heddle::cli {

namespace {

constexpr uint64_t kRunsEach = 1'500;

// A remedy that was tried.
struct Tried {
  Remedy remedy;
  Imposing::Account account;
  std::string verdict;  // "removes", "fails", "deadlocks" or "open"
  std::string words;
  uint32_t bound = 0;

  double lost() const { return account.points == 0 ? 0 : static_cast<double>(account.kept_waiting) / static_cast<double>(account.points); }
};

class Suggesting {
 public:
  Suggesting(Campaign& campaign, const Trace& failing, const std::optional<Trace>& passing, const SavedBugOptions& options)
      : campaign_(campaign),
        symbols_(module_paths(failing)),
        by_stacks_(in_libraries(failing)),
        failing_(at_own_lines(failing)),
        passing_(passing ? std::optional(at_own_lines(*passing)) : std::nullopt),
        options_(options),
        placed_(placer_.place(failing_)) {
    if (passing_) passing_placed_.emplace(placer_.place(*passing_));
  }

  std::vector<Tried> go(Progress& progress) {
    std::vector<Tried> all;
    for (Remedy& remedy : remedies(failing_, passing_ ? &*passing_ : nullptr)) {
      if (stop_flag() || out_of_time()) break;
      progress.show(fmt::format("suggest: trying {} of the possible changes", all.size() + 1));
      all.push_back(attempt(std::move(remedy)));
    }
    progress.clear();
    // What costs least comes first; of equal ones, that which was found nearest to the switch.
    std::stable_sort(all.begin(), all.end(), [](const Tried& a, const Tried& b) {
      const bool x = a.verdict == "removes";
      const bool y = b.verdict == "removes";
      return x != y ? x : a.lost() < b.lost();
    });
    return all;
  }
  uint64_t executions() const { return executions_; }

 private:
  // Where a template or an inline function of a library makes the calls, all locks of the program are taken at one place: only their callers tell them apart.
  bool in_libraries(const Trace& trace) const {
    return std::any_of(trace.events().begin(), trace.events().end(), [&](const Event& e) {
      return e.op != Op::kThreadStart && e.op != Op::kThreadExit && e.site != kNoSite && !is_own_site(symbols_, e.site);
    });
  }
  Trace seen(const Trace& trace) const { return once(by_stacks_ ? trace_at_own_lines(trace, stacks_in(trace), symbols_) : trace); }
  Trace at_own_lines(const Trace& trace) const {
    const std::optional<KnownStacks> stacks = by_stacks_ ? stacks_of(campaign_, trace) : std::nullopt;
    return once(stacks ? trace_at_own_lines(trace, stacks->calls, symbols_) : trace);
  }
  // A statement has as many places in the code as it was inlined: one stands for all.
  SiteId one_of(SiteId site) const {
    if (site == kNoSite) return site;
    const auto [at, is_new] = same_.try_emplace(site, site);
    if (!is_new) return at->second;
    const auto frame = symbols_.user_frame(site_module(site), site_offset(site));
    if (frame && !frame->file.empty())
      at->second =
          places_.try_emplace(fmt::format("{}:{}:{}:{}", frame->file, frame->line, frame->column, frame->function), site).first->second;
    return at->second;
  }
  Trace once(const Trace& trace) const {
    Trace::Data data = trace.data();
    for (Event& e : data.events) e.site = one_of(e.site);
    for (Thread& t : data.threads) {
      t.site = one_of(t.site);
      t.holder_site = one_of(t.holder_site);
    }
    return Trace(std::move(data));
  }

  Tried attempt(Remedy remedy) {
    Tried tried{std::move(remedy), {}, "open", {}, static_cast<uint32_t>(failing_.counts().preemptions) + 1};
    tried.words = words_of(tried.remedy);
    SearchOptions search;
    search.base = campaign_.base();
    search.base.env_seed = failing_.data().env_seed;
    search.base.points = failing_.data().points;
    search.base.points_id = failing_.data().points_id;
    search.base.sites = failing_.data().sites;
    search.base.code = code_of(failing_, Strictness::kRelaxed);
    if (by_stacks_) search.base.detect |= kDetectStacks;
    Imposing imposing(search, tried.remedy.imposed, tried.bound, [this](const Trace& trace) { return seen(trace); });
    FindOptions find_options;
    find_options.executions = kRunsEach;
    find_options.seconds = options_.seconds > 0 ? std::max(0.5, options_.seconds - seconds()) : 0;
    find_options.stop = &stop_flag();
    find_options.measure = false;
    // A failure of a run that does not obey is the bug as it is.
    find_options.fails = [&](const Trace& trace) { return campaign_.fails(trace) && obeys(seen(trace), tried.remedy.imposed); };
    const FindResult found = find(imposing, campaign_.pool(), find_options);
    executions_ += found.executions;
    tried.account = imposing.account();
    if (found.found()) {
      tried.verdict = "fails";
    } else if (tried.account.stuck > 0) {
      tried.verdict = "deadlocks";
    } else if (tried.account.schedules > 0 && (tried.account.exhausted || found.executions >= kRunsEach)) {
      tried.verdict = "removes";
    }
    return tried;
  }

  // The event in the words of the source; of either run.
  PlacedOperation operation(const Event& e) const {
    for (const PlacedTrace* placed : {&placed_, passing_placed_ ? &*passing_placed_ : nullptr}) {
      if (placed == nullptr) continue;
      const auto events = placed->trace().events();
      for (size_t i = 0; i < events.size(); ++i) {
        if (events[i].op == e.op && events[i].site == e.site && events[i].object == e.object)
          return placed->operations()[placed->operation(i)];
      }
      for (uint32_t t = 0; t < placed->trace().threads().size(); ++t) {
        const Thread& thread = placed->trace().threads()[t];
        if (thread.pending == e.op && thread.site == e.site && placed->pending(t) != kNoOperation)
          return placed->operations()[placed->pending(t)];
      }
    }
    return {e.op, {}, {}};
  }

  static std::string place(const PlacedOperation& o) {
    const std::string function = o.place.function.empty() || o.place.file.empty() ? "" : fmt::format(" ({})", o.place.function);
    return place_words(o.place) + function;
  }
  static std::string object(const PlacedOperation& o, const char* otherwise) {
    return o.object.empty() ? std::string(otherwise) : fmt::format("`{}`", o.object);
  }

  std::string words_of(const Remedy& r) const {
    const PlacedOperation from = operation(r.from);
    const PlacedOperation to = operation(r.to);
    switch (r.form) {
      case Remedy::Form::kHoldLock:
        return fmt::format("hold {} from {} to {}: do not release it at {}", object(from, "the lock"), place(from), place(to),
                           place(operation(*r.given_back)));
      case Remedy::Form::kTakeBefore: {
        const PlacedOperation now = operation(*r.given_back);
        return fmt::format("take {} before {}, not at {}, and hold it to {}", object(now, "the lock"), place(from), place(now), place(to));
      }
      case Remedy::Form::kTakeLock:
        return fmt::format("take {} around {}, which {}: {} waits with it", object(operation(*r.given_back), "the lock"), place(from),
                           row(r.from.op).words, place(to));
      case Remedy::Form::kOneSection:
        return fmt::format("make {} to {} one critical section, or one atomic operation, on {}", place(from), place(to),
                           object(from, "that memory"));
      case Remedy::Form::kGate:
        return fmt::format("take one lock before {} and before {}, or take these locks in one order", place(from), place(to));
      case Remedy::Form::kWait: return fmt::format("let {} wait until {} is done ({})", place(from), place(to), row(r.to.op).words);
    }
    return {};
  }

  bool out_of_time() const { return options_.seconds > 0 && seconds() >= options_.seconds; }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

  Campaign& campaign_;
  const Symbols symbols_;
  const bool by_stacks_;
  mutable std::map<std::string, SiteId> places_;
  mutable std::unordered_map<SiteId, SiteId> same_;
  const Trace failing_;
  const std::optional<Trace> passing_;
  const SavedBugOptions& options_;
  Placer placer_;
  PlacedTrace placed_;
  std::optional<PlacedTrace> passing_placed_;
  uint64_t executions_ = 0;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Json json_tried(const Tried& t) {
  return {{"change", t.words},
          {"result", t.verdict},
          {"bound", t.bound},
          {"schedules", t.account.schedules},
          {"exhausted", t.account.exhausted},
          {"lost_concurrency", t.lost()}};
}

std::string evidence_of(const Tried& t) {
  return fmt::format("{} schedules with at most {} preemptions that obey it pass{}; somebody had to wait at {:.0f} % of their points",
                     t.account.schedules, t.bound, t.account.exhausted ? ", which are all" : "", t.lost() * 100);
}

int run_suggest(const Session& session, const SavedBugOptions& options) {
  OpenedBug bug = open_failing(options, session);
  const BugStore store;
  std::optional<Trace> passing;
  if (store.has(bug.bug, kPassingTrace)) passing = store.load_trace(bug.bug, kPassingTrace);
  Progress progress(options.json);
  Suggesting suggesting(*bug.campaign, bug.failing, passing, options);
  const std::vector<Tried> tried = suggesting.go(progress);
  const bool any = !tried.empty() && tried.front().verdict == "removes";
  if (options.json) {
    Json all = Json::array();
    for (const Tried& t : tried) all.push_back(json_tried(t));
    Json document = {{"verdict", any ? "found" : "none"}};
    if (any) document["suggestion"] = tried.front().words;
    document["tried"] = all;
    document["executions"] = suggesting.executions();
    document["bug"] = BugStore::shown(bug.bug.id);
    print_json(document);
  } else if (any) {
    print_out("BUG {}  {}\n", bug.bug.id, tried.front().words);
    print_out("TRIED  {}\n", evidence_of(tried.front()));
    for (size_t i = 1; i < tried.size() && i < 4 && tried[i].verdict == "removes"; ++i)
      print_out("OR     {} ({})\n", tried[i].words, evidence_of(tried[i]));
    print_out("NEXT   make the change, build, then heddle verify {} -- PROGRAM\n", bug.bug.id);
  } else {
    print_out("BUG {}  none found: {} change{} tried, none removes the failure\n", bug.bug.id, tried.size(), tried.size() == 1 ? "" : "s");
    for (const Tried& t : tried) print_out("  {:<9}  {}\n", t.verdict, t.words);
  }
  return exit_unless_interrupted(any ? ExitCode::kNothing : ExitCode::kCannotTest);
}

void add_suggest(CLI::App& app, Session& session) {
  Verb verb(app, "suggest", "find the smallest critical section or order that removes a failure", TakesProgram::kBesideBug);
  verb.exit_codes("a change that removes the failure was found", "", "none was found");
  auto options = std::make_shared<SavedBugOptions>();
  options->add_to(verb);
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_suggest(session, *options); }; });
}

constexpr VerbRow kSuggestVerb{69, add_suggest};
HEDDLE_ROW(verbs, kSuggestVerb);

}  // namespace

}  // namespace heddle::cli
