#include "store/saved_cause.h"

#include <nlohmann/json.hpp>

#include "store/saved_json.h"

namespace heddle::store {

namespace {

using Json = nlohmann::ordered_json;

// Steps stand in files as people count them; 0 is none.
Json json_of(const CauseEvent& e) {
  return {{"thread", e.thread},
          {"op", static_cast<unsigned>(e.op)},
          {"object", e.object},
          {"site", e.site},
          {"step", e.step == kNoDifference ? 0 : e.step + 1}};
}

Json json_of(const CauseSide& s) { return {{"failed", s.failed}, {"passed", s.passed}, {"other", s.other}}; }

CauseEvent event_of(const Json& j) {
  CauseEvent e;
  e.thread = j.at("thread").get<ThreadId>();
  const auto op = j.at("op").get<unsigned>();
  e.op = op < kOpCount ? static_cast<Op>(op) : Op::kNone;
  e.object = j.at("object").get<ObjectId>();
  e.site = j.at("site").get<SiteId>();
  const auto step = j.at("step").get<size_t>();
  e.step = step == 0 ? kNoDifference : step - 1;
  return e;
}

CauseSide side_of(const Json& j) { return {j.at("failed").get<size_t>(), j.at("passed").get<size_t>(), j.at("other").get<size_t>()}; }

}  // namespace

std::string encode_cause(const Cause& c) {
  Json parts = Json::array();
  for (const CausePart& p : c.parts)
    parts.push_back({{"first", json_of(p.first)}, {"second", json_of(p.second)}, {"without", json_of(p.without)}});
  const char* kind = c.kind == CauseKind::kWindow ? "window" : c.kind == CauseKind::kOrder ? "order" : "none";
  const Json j = {{"kind", kind},
                  {"first", json_of(c.first)},
                  {"second", json_of(c.second)},
                  {"other", c.other},
                  {"between", json_of(c.between)},
                  {"any_thread", c.any_thread},
                  {"inside", json_of(c.inside)},
                  {"outside", json_of(c.outside)},
                  {"parts", parts},
                  {"together", json_of(c.together)},
                  {"doomed",
                   {{"known", c.doomed.known},
                    {"from_start", c.doomed.from_start},
                    {"step", c.doomed.step == kNoDifference ? 0 : c.doomed.step + 1},
                    {"failed_before", c.doomed.failed_before},
                    {"sampled_before", c.doomed.sampled_before},
                    {"sampled_after", c.doomed.sampled_after}}},
                  {"executions", c.executions},
                  {"seconds", c.seconds}};
  return j.dump(2) + "\n";
}

std::optional<Cause> decode_cause(const std::string& text) {
  try {
    const Json j = parse_saved_json<Json>(text);
    Cause c;
    const auto kind = j.at("kind").get<std::string>();
    c.kind = kind == "window" ? CauseKind::kWindow : kind == "order" ? CauseKind::kOrder : CauseKind::kNone;
    c.first = event_of(j.at("first"));
    c.second = event_of(j.at("second"));
    c.other = j.at("other").get<ThreadId>();
    c.between = event_of(j.at("between"));
    c.any_thread = j.at("any_thread").get<bool>();
    c.inside = side_of(j.at("inside"));
    c.outside = side_of(j.at("outside"));
    // Saved by version 0.1 without them.
    if (j.contains("parts")) {
      for (const Json& p : j.at("parts")) c.parts.push_back({event_of(p.at("first")), event_of(p.at("second")), side_of(p.at("without"))});
      c.together = side_of(j.at("together"));
    }
    const Json& d = j.at("doomed");
    c.doomed.known = d.at("known").get<bool>();
    c.doomed.from_start = d.at("from_start").get<bool>();
    const auto step = d.at("step").get<size_t>();
    c.doomed.step = step == 0 ? kNoDifference : step - 1;
    c.doomed.failed_before = d.at("failed_before").get<size_t>();
    c.doomed.sampled_before = d.at("sampled_before").get<size_t>();
    c.doomed.sampled_after = d.at("sampled_after").get<size_t>();
    c.executions = j.at("executions").get<size_t>();
    c.seconds = j.at("seconds").get<double>();
    return c;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace heddle::store
