#include "store/reduction.h"

#include "store/saved_json.h"

namespace heddle::store {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const BeforeAfter& b) { return {{"before", b.before}, {"after", b.after}}; }

BeforeAfter before_after_of(const Json& j) { return {j.at("before").get<uint64_t>(), j.at("after").get<uint64_t>()}; }

Json json_of(const KeptIterations& k) {
  return {{"file", k.file}, {"line", k.line}, {"thread", k.thread}, {"before", k.before}, {"numbers", k.numbers}};
}

KeptIterations kept_of(const Json& j) {
  return {j.at("file").get<std::string>(), j.at("line").get<uint32_t>(), j.at("thread").get<std::string>(), j.at("before").get<uint64_t>(),
          j.at("numbers").get<std::vector<uint64_t>>()};
}

Json json_of(const KeptStatement& k) {
  return {{"file", k.file}, {"line", k.line}, {"thread", k.thread}, {"before", k.before}, {"times", k.times}};
}

KeptStatement statement_of(const Json& j) {
  return {j.at("file").get<std::string>(), j.at("line").get<uint32_t>(), j.at("thread").get<std::string>(), j.at("before").get<uint64_t>(),
          j.at("times").get<uint64_t>()};
}

Json json_of(const CriterionShown& c) {
  return {{"fails", c.fails},
          {"check_reached", c.check_reached},
          {"check_passed", c.check_passed},
          {"sequential_bug", c.sequential_bug},
          {"asked", c.asked}};
}

Json json_of(const KeptRequest& k) {
  return {{"connection", k.connection}, {"number", k.number}, {"bytes", k.bytes}, {"bytes_left", k.bytes_left}, {"begins", k.begins}};
}

KeptRequest request_of(const Json& j) {
  const auto bytes = j.at("bytes").get<uint64_t>();
  return {j.at("connection").get<std::string>(), j.at("number").get<uint64_t>(), bytes, j.value("bytes_left", bytes),
          j.at("begins").get<std::string>()};
}

Json json_of(const InputsLeft& i) {
  Json j = json_of(i.requests);
  j["connections"] = json_of(i.connections);
  j["calls"] = json_of(i.calls);
  j["kept"] = Json::array();
  for (const KeptRequest& k : i.kept) j["kept"].push_back(json_of(k));
  return j;
}

InputsLeft inputs_of(const Json& j) {
  InputsLeft i{before_after_of(j), before_after_of(j.at("connections")), before_after_of(j.at("calls")), {}};
  for (const Json& each : j.at("kept")) i.kept.push_back(request_of(each));
  return i;
}

void add_trace(Json& j, const TraceSizes& t) {
  j["blocks"] = json_of(t.blocks);
  j["blocks"]["traced"] = t.blocks_traced;
  j["dependences"] = json_of(t.accesses);
  j["dependences"]["traced"] = t.accesses_traced;
  j["trace"] = {{"intervals", t.intervals}, {"intervals_traced", t.intervals_traced}, {"edges", t.edges},
                {"bytes", t.bytes_traced},  {"seconds_before", t.seconds_before},     {"seconds_after", t.seconds_after},
                {"why_not", t.why_not}};
}

TraceSizes trace_of(const Json& j) {
  TraceSizes t;
  t.blocks = before_after_of(j.at("blocks"));
  t.blocks_traced = j.at("blocks").at("traced").get<uint64_t>();
  t.accesses = before_after_of(j.at("dependences"));
  t.accesses_traced = j.at("dependences").at("traced").get<uint64_t>();
  const Json& more = j.at("trace");
  t.intervals = more.at("intervals").get<uint64_t>();
  t.intervals_traced = more.at("intervals_traced").get<uint64_t>();
  t.edges = more.at("edges").get<uint64_t>();
  t.bytes_traced = more.at("bytes").get<uint64_t>();
  t.seconds_before = more.at("seconds_before").get<double>();
  t.seconds_after = more.at("seconds_after").get<double>();
  t.why_not = more.at("why_not").get<std::string>();
  return t;
}

CriterionShown criterion_of(const Json& j) {
  return {j.at("fails").get<bool>(), j.at("check_reached").get<bool>(), j.at("check_passed").get<bool>(),
          j.at("sequential_bug").get<bool>(), j.value("asked", true)};
}

}  // namespace

Json json_reduction(const ReductionRecord& r) {
  Json j = {{"by", r.by}};
  j["threads"] = json_of(r.threads);
  j["threads"]["kept"] = r.kept_threads;
  if (r.iterations) {
    j["iterations"] = json_of(*r.iterations);
    j["iterations"]["kept"] = Json::array();
    for (const KeptIterations& k : r.kept_iterations) j["iterations"]["kept"].push_back(json_of(k));
  }
  if (r.statements) {
    j["statements"] = json_of(*r.statements);
    j["statements"]["kept"] = Json::array();
    for (const KeptStatement& k : r.kept_statements) j["statements"]["kept"].push_back(json_of(k));
  } else if (!r.no_statements.empty()) {
    j["no_statements"] = r.no_statements;
  }
  if (r.inputs) j["inputs"] = json_of(*r.inputs);
  if (!r.no_inputs.empty()) j["no_inputs"] = r.no_inputs;
  if (r.intervals) j["intervals"] = json_of(*r.intervals);
  if (r.trace) add_trace(j, *r.trace);
  j["log_events"] = json_of(r.log_events);
  j["replay_seconds"] = {{"before", r.replay_seconds_before}, {"after", r.replay_seconds_after}};
  j["same_failure"] = r.same_failure;
  j["criterion"] = json_of(r.criterion);
  return j;
}

std::string encode_reduction(const ReductionRecord& reduction) { return saved_json(json_reduction(reduction)).dump(2) + "\n"; }

std::optional<ReductionRecord> decode_reduction(const std::string& text) {
  try {
    const Json j = parse_saved_json<Json>(text);
    ReductionRecord r;
    r.by = j.at("by").get<std::vector<std::string>>();
    r.threads = before_after_of(j.at("threads"));
    r.kept_threads = j.at("threads").at("kept").get<std::vector<std::string>>();
    if (j.contains("iterations")) {
      r.iterations = before_after_of(j.at("iterations"));
      for (const Json& each : j.at("iterations").at("kept")) r.kept_iterations.push_back(kept_of(each));
    }
    if (j.contains("statements")) {
      r.statements = before_after_of(j.at("statements"));
      for (const Json& each : j.at("statements").at("kept")) r.kept_statements.push_back(statement_of(each));
    }
    r.no_statements = j.value("no_statements", "");
    if (j.contains("inputs")) r.inputs = inputs_of(j.at("inputs"));
    r.no_inputs = j.value("no_inputs", "");
    if (j.contains("intervals")) r.intervals = before_after_of(j.at("intervals"));
    if (j.contains("trace")) r.trace = trace_of(j);
    r.log_events = before_after_of(j.at("log_events"));
    r.replay_seconds_before = j.at("replay_seconds").at("before").get<double>();
    r.replay_seconds_after = j.at("replay_seconds").at("after").get<double>();
    r.same_failure = j.at("same_failure").get<bool>();
    r.criterion = criterion_of(j.at("criterion"));
    return r;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace heddle::store
