#include "cli/dependences.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "exec/valgrind.h"
#include "simplify/dependence.h"

namespace heddle::cli {

namespace {

// The failing run once more, with the tool watching who reads what.
void watch_memory(Campaign& campaign, const Trace& failing, Dependences& d) {
  const ValgrindTool tool = find_valgrind_tool();
  if (!tool.present()) {
    d.why_not = tool.missing;
    return;
  }
  const MemoryDependences file;
  RunnerOptions options = campaign.runner_options();
  options.serve = options.reuse = options.snapshots.enabled = false;
  options.core = -1;
  Runner runner(under_valgrind(campaign.target(), tool, {"--dependences=" + file.path()}), options);
  Plan plan = campaign.replay_plan(failing);
  plan.detect = kDetectRaces;
  const Trace again = runner.run(plan).trace;
  if (again.outcome().kind != failing.outcome().kind || again.events().size() < failing.events().size()) {
    d.why_not = fmt::format("under Valgrind the run does not fail in the same way: {}", describe_failure(again));
    return;
  }
  d.memory = true;
  for (const HeddleDependence& edge : file.found()) {
    if (edge.writer >= failing.threads().size() || edge.reader >= failing.threads().size()) continue;
    const bool in_file = edge.address >= HEDDLE_FILE_BYTES;
    d.graph.add(edge.writer, edge.reader, in_file ? kByFileData : kByMemory);
    ++(in_file ? d.file_edges : d.memory_edges);
  }
}

std::vector<uint32_t> failing_threads(const Trace& failing) {
  std::vector<uint32_t> threads;
  for (size_t e : bug_events(failing)) threads.push_back(failing.events()[e].thread);
  if (failing.outcome().thread < failing.threads().size()) threads.push_back(failing.outcome().thread);
  return threads;
}

size_t count_of(const std::vector<bool>& threads) { return static_cast<size_t>(std::count(threads.begin(), threads.end(), true)); }

struct Attempt {
  uint8_t kinds;
  const char* words;
};
// What the log and the memory show first; then what may matter besides.
constexpr Attempt kAttempts[] = {
    {kByEvent | kByMemory | kByFileData, "events, files and memory"},
    {kByEvent | kByMemory | kByFileData | kByFile, "events, files, memory and descriptors"},
    {kByEvent | kByMemory | kByFileData | kByFile | kByJoining, "events, files, memory, descriptors and joins"},
};

}  // namespace

DependenceResult reduce_by_dependence(Campaign& campaign, const Trace& failing) {
  const auto start = std::chrono::steady_clock::now();
  DependenceResult result;
  Dependences& d = result.dependences;
  add_event_edges(failing, d.graph);
  watch_memory(campaign, failing, d);
  const size_t count = failing.threads().size();
  d.relevant.assign(count, true);
  // Without the edges of memory nothing may be left out: what a thread read would be guessed.
  if (!d.memory) return result;
  Limits limits = campaign.base().limits;
  limits.events = 20 * failing.events().size() + 10'000;
  std::vector<bool> tried;
  for (const Attempt& attempt : kAttempts) {
    std::vector<bool> relevant = d.graph.relevant(failing_threads(failing), count, attempt.kinds);
    if (count_of(relevant) == count || relevant == tried || stop_flag()) continue;
    tried = relevant;
    std::vector<bool> dropped = relevant;
    dropped.flip();
    const Trace run = campaign.pool().run_now(without_threads(failing, dropped, limits)).trace;
    const bool same = same_bug(failing, run) && campaign.confirm(run).believed;
    d.steps.push_back(fmt::format("by {}: {} of {} threads, {}", attempt.words, count_of(relevant), count,
                                  same ? "fails in the same way" : "does not fail in the same way"));
    if (!same) continue;
    d.relevant = relevant;
    d.kinds = attempt.kinds;
    ReduceResult reduced;
    reduced.best = run;
    for (const Skip& skip : run.data().skips) reduced.removed.push_back(skip.thread);
    reduced.executions = reduced.rounds = d.steps.size();
    reduced.one_minimal = false;
    reduced.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.reduced = reduced;
    return result;
  }
  return result;
}

Json json_dependences(const Dependences& d, const Trace& failing) {
  Json document = {{"memory", d.memory},
                   {"memory_edges", d.memory_edges},
                   {"file_edges", d.file_edges},
                   {"edges", d.graph.edges().size()},
                   {"relevant", Json::array()}};
  for (size_t t = 0; t < d.relevant.size(); ++t) {
    if (d.relevant[t]) document["relevant"].push_back(failing.threads()[t].path);
  }
  document["tried"] = d.steps;
  if (!d.why_not.empty()) document["why_not"] = d.why_not;
  return document;
}

Json json_edges(const Dependences& d, const Trace& failing) {
  Json edges = Json::array();
  for (const auto& [pair, kinds] : d.graph.edges()) {
    Json words = Json::array();
    if ((kinds & (kByEvent | kByJoining)) != 0) words.push_back("event");
    if ((kinds & (kByFile | kByFileData)) != 0) words.push_back("file");
    if ((kinds & kByMemory) != 0) words.push_back("memory");
    edges.push_back({{"from", failing.threads()[pair.first].path}, {"to", failing.threads()[pair.second].path}, {"kinds", words}});
  }
  return edges;
}

}  // namespace heddle::cli
