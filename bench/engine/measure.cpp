// measure RUNS POLICY MODE PROGRAM ARGUMENTS...: what one execution costs through the Runner, as JSON. "said" is the number that the
// program prints, at its least.
//   POLICY: stay, or random:N (stays on with N of 65536 at each point)
//   MODE:   server (each run from the fork server), snapshot (each run begins near the end of the first), fresh (a process each)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "exec/runner.h"
#include "exec/worker_pool.h"
#include "trace/error.h"

namespace heddle::test {
namespace {

double quantile(std::vector<double>& sorted, double q) { return sorted[static_cast<size_t>(q * static_cast<double>(sorted.size() - 1))]; }

// Since exec: what getrusage gives includes the process that called it.
long most_memory_kb() {
  std::ifstream file("/proc/self/status");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("VmHWM:")) return std::atol(line.c_str() + 6);
  }
  return 0;
}

int measure(int count, char** words) {
  if (count < 5) return 2;
  const int runs = std::atoi(words[1]);
  const std::string policy = words[2], mode = words[3];
  Plan plan;
  plan.env_seed = 1;
  plan.limits.events = uint64_t{1} << 40;
  plan.limits.watchdog_ms = 600'000;
  if (policy != "stay") plan.tail = {PolicyKind::kRandom, 0, 1, static_cast<uint32_t>(std::atoi(policy.substr(7).c_str())), 0, 0, 0};
  RunnerOptions options;
  options.library = runtime_library();
  options.serve = mode != "fresh";
  options.snapshots.enabled = mode == "snapshot";
  options.snapshots.least_gain_ns = 0;
  options.snapshots.most = 1;
  options.core = usable_cores().back();
  Runner runner(Target::resolve(std::vector<std::string>(words + 4, words + count)), options);
  Trace first = runner.run(plan).trace;
  if (first.outcome().kind != OutcomeKind::kExit || first.outcome().code != 0) {
    std::fprintf(stderr, "the program did not pass: %s %s\n", name(first.outcome().kind), first.outcome().message.c_str());
    return 1;
  }
  if (mode == "snapshot") {
    // The last slices are left to the tail, so that every run parts from the first near its end.
    const auto limits = plan.limits;
    plan = plan_of(first, Strictness::kRelaxed);
    plan.limits = limits;
    plan.slices.resize(plan.slices.size() - std::min<size_t>(plan.slices.size(), 4));
    for (int i = 0; i < 2; ++i) runner.run(plan);
  }
  std::vector<double> taken, said;
  size_t switches = 0;
  for (int i = 0; i < runs; ++i) {
    if (policy != "stay") plan.tail.seed = static_cast<uint64_t>(i) + 2;
    const auto start = std::chrono::steady_clock::now();
    const RunResult result = runner.run(plan);
    taken.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    switches = result.trace.switches();
    said.push_back(std::atof(result.output.out.c_str()));
  }
  std::sort(taken.begin(), taken.end());
  std::sort(said.begin(), said.end());
  std::printf(
      R"({"runs": %d, "best": %.9f, "p10": %.9f, "median": %.9f, "p90": %.9f, "events": %zu, "switches": %zu, "from_snapshots": %lu, "without_fork": %lu, "mark": %u, "tool_kb": %ld, "said": %.0f})"
      "\n",
      runs, quantile(taken, 0), quantile(taken, 0.1), quantile(taken, 0.5), quantile(taken, 0.9), first.events().size(), switches,
      runner.runs_from_snapshots(), runner.runs_without_fork(), runner.last_mark(), most_memory_kb(), quantile(said, 0));
  return 0;
}

}  // namespace
}  // namespace heddle::test

int main(int count, char** words) {
  try {
    return heddle::test::measure(count, words);
  } catch (const heddle::test::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
