// A run that begins from a snapshot is, byte for byte, the run of a fresh process; and no snapshot outlives what it belongs to.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <thread>

#include "exec/runner.h"
#include "store/store.h"

namespace heddle::test {
namespace {

std::string path_of(const std::string& name) {
  if (name == "reuse_program") return std::getenv("HEDDLE_REUSE_PROGRAM");
  return name == "program" ? std::getenv("HEDDLE_PROGRAM") : std::string(std::getenv("HEDDLE_TARGETS")) + "/" + name;
}

RunnerOptions options(bool serve) {
  RunnerOptions o;
  o.library = std::getenv("HEDDLE_RUNTIME");
  o.serve = serve;
  o.input = Input::of_bytes("What goes in must come out the same, whoever reads it first and wherever the run began.");
  o.snapshots.least_gain_ns = 0;  // at every point where two plans part
  o.snapshots.most = 5;
  return o;
}

Plan first_plan(const Input& input) {
  Plan plan;
  plan.env_seed = 7;
  plan.input_id = input.id();
  return plan;
}

// As the passes of simplify do it: the schedule of a run, a little different somewhere.
Plan changed(const Trace& trace, std::mt19937_64& random) {
  Plan plan = plan_of(trace, random() % 4 == 0 ? Strictness::kStrict : Strictness::kRelaxed);
  auto& slices = plan.slices;
  if (slices.size() < 3) return plan;
  const size_t at = 1 + random() % (slices.size() - 2);
  switch (random() % 6) {
    case 0: slices.resize(at); break;
    case 1: std::swap(slices[at], slices[at + 1]); break;
    case 2: slices.erase(slices.begin() + static_cast<long>(at)); break;
    case 3: slices[at].until -= std::min<uint64_t>(slices[at].until - 1, 1 + random() % 3); break;
    case 4: slices[at].until += 1 + random() % 3; break;
    case 5: break;  // the same again
  }
  if (random() % 3 == 0) plan.tail = {PolicyKind::kRandom, 0, random(), 30000, 0, 0, 0, 0};
  if (random() % 5 == 0 && !plan.choices.empty())
    plan.choices.erase(plan.choices.begin() + static_cast<long>(random() % plan.choices.size()));
  return plan;
}

// A run in a process that has had others before it is that of a process of its own.
TEST(Reuse, LeavesTheTraceOfAFork) {
  const Target target = Target::resolve({path_of("reuse_program")});
  RunnerOptions again = options(true);
  again.snapshots.enabled = false;
  RunnerOptions forks = again;
  forks.reuse = false;
  Runner reusing(target, again);
  Runner forking(target, forks);
  std::map<std::string, int> ends;
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    Plan plan = first_plan(*again.input);
    plan.tail = {PolicyKind::kRandom, 0, seed, 30000, 0, 0, 0, 0};
    const RunResult a = forking.run(plan);
    const RunResult b = reusing.run(plan);
    std::string why;
    first_difference(a.trace, b.trace, &why);
    ASSERT_TRUE(encode_trace(a.trace) == encode_trace(b.trace))
        << "seed " << seed << ": " << why << "; " << name(b.trace.outcome().kind) << " " << b.trace.outcome().message << b.output.err;
    ASSERT_EQ(a.output.out, b.output.out);
    ASSERT_EQ(a.output.err, b.output.err);
    ASSERT_LT(a.trace.outcome().code, 98);
    ++ends[fmt::format("{} {}", name(a.trace.outcome().kind), a.trace.outcome().code)];
  }
  EXPECT_GE(ends.size(), 7U);
  EXPECT_EQ(forking.runs_without_fork(), 0U);
  EXPECT_GT(reusing.runs_without_fork(), 20U) << "forked for system call " << reusing.last_mark();
}

// What one child has learned of the heap holds for the next one, which may not have got as far yet.
TEST(Reuse, GoesOnWhereTheHeapGrowsInSomeRunsOnly) {
  RunnerOptions again = options(true);
  again.snapshots.enabled = false;
  Runner runner(Target::resolve({path_of("reuse_program"), "grow"}), again);
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Plan plan = first_plan(*again.input);
    plan.tail = {PolicyKind::kRandom, 0, seed, 30000, 0, 0, 0, 0};
    ASSERT_EQ(runner.run(plan).trace.outcome().kind, OutcomeKind::kExit);
  }
  EXPECT_GT(runner.runs_without_fork(), 50U);
}

// A bug is believed when it was seen in a process that had no other run before it.
TEST(Reuse, ReplaysFirstInAProcessOfItsOwn) {
  const Target target = Target::resolve({path_of("reuse_program")});
  RunnerOptions again = options(true);
  again.snapshots.enabled = false;
  Runner runner(target, again);
  Plan plan = first_plan(*again.input);
  // A schedule after which the process can be used again.
  for (uint64_t seed = 1, before = 0; seed <= 60 && runner.runs_without_fork() < before + 2; ++seed) {
    before = runner.runs_without_fork();
    plan.tail = {PolicyKind::kRandom, 0, seed, 30000, 0, 0, 0, 0};
    for (int i = 0; i < 3; ++i) runner.run(plan);
  }
  const Plan replay = plan_of(runner.run(plan).trace, Strictness::kStrict);
  const uint64_t reused = runner.runs_without_fork();
  EXPECT_GT(reused, 0U);
  EXPECT_NE(runner.run(replay).trace.outcome().kind, OutcomeKind::kDiverged);
  EXPECT_EQ(runner.runs_without_fork(), reused);
  for (int i = 0; i < 3; ++i) runner.run(replay);
  EXPECT_GT(runner.runs_without_fork(), reused);
}

class SnapshotTest : public testing::TestWithParam<const char*> {};

TEST_P(SnapshotTest, LeavesTheTraceOfAFreshProcess) {
  const Target target = Target::resolve({path_of(GetParam())});
  const RunnerOptions serving = options(true);
  Runner fresh(target, options(false));
  Runner snapshots(target, serving);
  std::mt19937_64 random(11);
  Plan plan = first_plan(*serving.input);
  plan.tail = {PolicyKind::kRandom, 0, 3, 40000, 0, 0, 0, 0};
  Trace best = fresh.run(plan).trace;
  for (int i = 0; i < 24; ++i) {
    plan = changed(best, random);
    const RunResult a = fresh.run(plan);
    const RunResult b = snapshots.run(plan);
    std::string why;
    first_difference(a.trace, b.trace, &why);
    ASSERT_TRUE(encode_trace(a.trace) == encode_trace(b.trace))
        << "plan " << i << ": " << why << "; fresh: " << name(a.trace.outcome().kind) << " " << a.trace.outcome().message << ", "
        << a.trace.events().size() << " events; else " << name(b.trace.outcome().kind) << " " << b.trace.outcome().message << ", "
        << b.trace.events().size();
    ASSERT_EQ(a.output.out, b.output.out);
    ASSERT_EQ(a.output.err, b.output.err);
    if (i % 8 == 7 && a.trace.events().size() > 10) best = a.trace;
  }
  if (std::string(GetParam()) == "program") {
    EXPECT_GT(snapshots.runs_from_snapshots(), 5u);
  }
  // A copy that stands by would hold the ends of the pipe.
  if (std::string(GetParam()) == "pipe_pair") {
    EXPECT_EQ(snapshots.runs_from_snapshots(), 0u);
  }
  std::printf("%lu of 24 runs began in the middle\n", snapshots.runs_from_snapshots());
}

INSTANTIATE_TEST_SUITE_P(Programs, SnapshotTest,
                         testing::Values(
                             // target atomicity correct_bounded_buffer correct_timed pipe_pair seeded_random signal_handlers timers
                             "program", "atomicity", "correct_bounded_buffer", "correct_timed", "pipe_pair", "seeded_random",
                             "signal_handlers", "timers"),
                         [](const auto& program) { return std::string(program.param); });

// Who is woken by the last operation of a plan's slices is drawn by the plan's tail, or not, whatever the run before has made of it.
TEST(SnapshotChoices, AreMadeByThePlanThatMakesThem) {
  const Target target = Target::resolve({path_of("program"), "wake"});
  const RunnerOptions serving = options(true);
  RunnerOptions forks = serving;
  forks.snapshots.enabled = forks.reuse = false;
  Runner fresh(target, forks);
  Runner snapshots(target, serving);
  Plan plan = first_plan(*serving.input);
  const Trace base = fresh.run(plan).trace;
  size_t signals = 0;
  for (size_t k = 1; k < base.events().size(); ++k) {
    if (base.events()[k - 1].op != Op::kCondSignal) continue;
    ++signals;
    Plan prefix = plan_of(base, Strictness::kRelaxed);
    prefix.choices.clear();
    prefix.slices.clear();
    for (size_t i = 0; i < k; ++i) {
      const Event& e = base.events()[i];
      if (prefix.slices.empty() || prefix.slices.back().thread != base.thread_id(e)) prefix.slices.push_back({base.thread_id(e), e.number});
      prefix.slices.back().until = e.number;
    }
    for (uint64_t sample = 0; sample < 8; ++sample) {
      Plan next = prefix;
      // A run of its own after the common part, random walks, and draws of a plan that stays.
      if (sample < 3) next.slices.push_back({base.threads()[1 + sample % (base.threads().size() - 1)].id, ~uint64_t{0}});
      if (sample >= 3 && sample < 6) next.tail = {PolicyKind::kRandom, 0, k + sample, 30000, 0, 0, 0, 0};
      if (sample >= 6) next.tail = {PolicyKind::kStay, 0, k + sample, 1, 0, 0, 0, 0};
      const RunResult a = fresh.run(next);
      const RunResult b = snapshots.run(next);
      std::string why;
      first_difference(a.trace, b.trace, &why);
      ASSERT_TRUE(encode_trace(a.trace) == encode_trace(b.trace)) << "after event " << k << ", sample " << sample << ": " << why;
    }
  }
  EXPECT_GT(signals, 3U);
  EXPECT_GT(snapshots.runs_from_snapshots(), signals);
}

// Processes of that program that are not zombies.
size_t living(const std::string& program) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::error_code error;
    if (std::filesystem::read_symlink(entry.path() / "exe", error) == program) ++count;
  }
  return count;
}

TEST(SnapshotProcesses, DieWithTheToolThatIsKilled) {
  // A copy under a name of its own: other tests may run the same program at the same time.
  const auto directory = std::filesystem::temp_directory_path() / ("heddle-snapshots-" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  const std::string program = (directory / "program").string();
  std::filesystem::copy_file(path_of("program"), program, std::filesystem::copy_options::overwrite_existing);
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t tool = ::fork();
  if (tool == 0) {
    const RunnerOptions serving = options(true);
    Runner runner(Target::resolve({program}), serving);
    std::mt19937_64 random(5);
    const Plan plan = first_plan(*serving.input);
    const Trace best = runner.run(plan).trace;
    for (int i = 0; i < 12; ++i) runner.run(changed(best, random));
    const char standing = runner.runs_from_snapshots() > 0 ? 'y' : 'n';
    if (::write(ready[1], &standing, 1) != 1) ::_exit(3);
    ::pause();
    ::_exit(0);
  }
  char standing = 0;
  ASSERT_EQ(::read(ready[0], &standing, 1), 1);
  EXPECT_EQ(standing, 'y');
  EXPECT_GE(living(program), 2u);
  ::kill(tool, SIGKILL);
  ::waitpid(tool, nullptr, 0);
  size_t left = 1;
  for (int i = 0; i < 1000 && left != 0; ++i) {
    left = living(program);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(left, 0u);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace heddle::test
