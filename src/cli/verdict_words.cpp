// What a verification says: to a reviewer, and to a machine.
#include <fmt/format.h>

#include "cli/verdict_words.h"
#include "search/bounded.h"

namespace heddle::cli {

const char* name(VerifyVerdict verdict) {
  switch (verdict) {
    case VerifyVerdict::kFixed: return "fixed";
    case VerifyVerdict::kStillFails: return "still-fails";
    case VerifyVerdict::kFailsDifferently: return "fails-differently";
    case VerifyVerdict::kCannotTell: break;
  }
  return "cannot-tell";
}

namespace {

std::string percent(double p) { return p >= 0.0995 ? fmt::format("{:.0f} %", p * 100) : fmt::format("{:.2g} %", p * 100); }

std::string count_words(uint64_t count, const char* one) { return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s"); }

std::string enumerated_words(const Verified& v) {
  const Certificate& c = *v.certificate;
  return fmt::format("no schedule with at most {} fails ({} executed, {}{})", count_words(c.bound, "preemption"), c.schedules,
                     v.proved ? "a proof by the rules of heddle check" : "all of them", v.proved ? "" : ", if no accesses race");
}

std::string sampled_words(const Verified& v) {
  const std::string before = v.before_known
                                 ? fmt::format("of which {} to {} failed before ({} of {}, 95 % confidence)", percent(v.rate.low),
                                               percent(v.rate.high), v.failed_before, v.samples_before)
                                 : fmt::format("by a search whose run {} found the bug (at least {} of its runs fail, 95 % confidence)",
                                               static_cast<uint64_t>(1 / v.rate.value + 0.5), percent(v.rate.low));
  return fmt::format("{} passed, {}: the probability of missing the bug is at most {:.1e}", count_words(v.samples, "sampled schedule"),
                     before, v.miss_high);
}

std::string anchors_words(const Verified& v) {
  return fmt::format("anchors: {} exact, {} moved, {} lost", v.anchors.exact, v.anchors.moved, v.anchors.lost);
}

Json json_interval(double low, double high) { return Json::array({low, high}); }

}  // namespace

std::string why_not_sure(const Verified& v) {
  if (v.before_known && v.failed_before == 0)
    return fmt::format("the same {} schedules would have missed the bug in the old build, too", v.samples_before);
  if (!v.sampled()) return "too few schedules could be tried";
  return fmt::format("{} schedules passed, which would have missed the bug with a probability of up to {:.2g}", v.samples, v.miss_high);
}

std::string sentence(const Verified& v, const VerifySubject& subject) {
  switch (v.verdict) {
    case VerifyVerdict::kStillFails: return fmt::format("{} is still there: {} ({})", subject.shown, v.failure->words, v.failure->step);
    case VerifyVerdict::kFailsDifferently:
      return fmt::format("{} was not seen, but the program fails in another way: {} ({})", subject.shown, v.failure->words,
                         v.failure->step);
    case VerifyVerdict::kCannotTell: return fmt::format("cannot tell whether {} is gone: {}", subject.shown, v.reasons.front());
    case VerifyVerdict::kFixed: break;
  }
  std::string text = fmt::format("{} is fixed: ", subject.shown);
  if (v.certificate) text += enumerated_words(v);
  if (v.certificate && v.sampled()) text += "; ";
  if (v.sampled()) text += sampled_words(v);
  if (v.instructions > 0) text += fmt::format("; switches at calls and at {} of the program", count_words(v.instructions, "instruction"));
  return text + "; " + anchors_words(v);
}

Json json_verified(const Verified& v, const VerifySubject& subject) {
  Json confidence = {{"sentence", sentence(v, subject)}};
  const bool enumerated = v.certificate.has_value() && v.proved;
  confidence["kind"] = v.failure || !v.reasons.empty() ? "none" : enumerated ? "enumerated" : v.sampled() ? "sampled" : "none";
  if (v.certificate) {
    const Certificate& c = *v.certificate;
    confidence["enumerated"] = {{"bound", c.bound},   {"schedules", c.schedules}, {"points", points_name(c.points)},
                                {"proved", v.proved}, {"assumed", c.unseen},      {"space", space_words(c.timeouts, c.unfair)}};
  }
  if (v.sampled()) {
    confidence["sampled"] = {
        {"schedules", v.samples},
        {"before", v.before_known ? Json{{"schedules", v.samples_before}, {"failed", v.failed_before}} : Json(nullptr)},
        {"fraction", v.rate.value},
        {"interval", json_interval(v.rate.low, v.rate.high)},
        {"miss", v.miss},
        {"miss_interval", json_interval(v.miss_low, v.miss_high)}};
  }
  Json evidence = Json::array();
  for (const VerifyEvidence& e : v.evidence)
    evidence.push_back({{"step", e.step}, {"what", e.words}, {"executions", e.executions}, {"passed", e.passed}});
  for (const ReanchoredEnd& end : v.anchors.ends) {
    if (end.from.empty() || end.fate == AnchorFate::kExact) continue;
    evidence.push_back({{"step", "anchor"}, {"from", end.from}, {"to", end.fate == AnchorFate::kLost ? Json(nullptr) : Json(end.to)}});
  }
  if (v.failure) {
    Json failure = json_failure(v.failure->trace);
    evidence.push_back({{"step", "failure"}, {"same", v.failure->same}, {"found_by", v.failure->step}, {"failure", failure}});
  }
  for (const std::string& reason : v.reasons) evidence.push_back({{"step", "doubt"}, {"what", reason}});
  return {{"verdict", name(v.verdict)},
          {"confidence", confidence},
          {"anchors", {{"exact", v.anchors.exact}, {"moved", v.anchors.moved}, {"lost", v.anchors.lost}}},
          {"evidence", evidence}};
}

std::string text_verified(const Verified& v, const VerifySubject& subject) {
  std::string text = fmt::format("{}  {}\n", name(v.verdict), sentence(v, subject));
  for (const ReanchoredEnd& end : v.anchors.ends) {
    if (end.fate == AnchorFate::kMoved) text += fmt::format("  moved   {} -> {}\n", end.from, end.to);
    if (end.fate == AnchorFate::kLost && !end.from.empty()) text += fmt::format("  lost    {}\n", end.from);
  }
  for (const VerifyEvidence& e : v.evidence) text += fmt::format("  {:<10}  {}\n", e.step, e.words);
  for (size_t i = 1; i < v.reasons.size(); ++i) text += fmt::format("  doubt       {}\n", v.reasons[i]);
  return text + fmt::format("  {}, {:.1f} s\n", count_words(v.executions, "run"), v.seconds);
}

}  // namespace heddle::cli
