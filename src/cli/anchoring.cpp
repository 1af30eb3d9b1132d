#include "cli/anchoring.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>

#include "cli/pipeline.h"
#include "cli/points.h"
#include "cli/print.h"
#include "store/atomic_file.h"
#include "store/packed.h"
#include "store/replay_string.h"
#include "store/saved_anchors.h"
#include "trace/error.h"
#include "trace/guarded.h"
#include "trace/sight.h"
#include "wire/event_stacks.h"

namespace heddle::cli {

namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kLargestProgram = uintmax_t{64} << 20;
constexpr size_t kMostAnchored = 10'000;  // switches of a schedule

template <typename Bytes>
bool begins_like_code(const Bytes& bytes) {
  return bytes.size() > 4 && static_cast<unsigned char>(bytes[0]) == 0x7F && static_cast<char>(bytes[1]) == 'E' &&
         static_cast<char>(bytes[2]) == 'L' && static_cast<char>(bytes[3]) == 'F';
}

VerifySubject subject_of_string(const std::string& text) {
  ReplayString pasted = decode_replay(text);
  if (!pasted.anchors || pasted.anchors->empty())
    throw Error("this replay string has no anchors, so it cannot be fitted to another build; strings that begin with hd2: have them");
  VerifySubject s;
  s.shown = "the schedule of the string";
  s.bug.command = pasted.command;
  s.bug.build_id = pasted.build_id;
  s.bug.kind = pasted.kind;
  s.bug.signature = pasted.signature;
  s.bug.find_executions = pasted.find_executions;
  s.bug.expect_exit = s.predicates.expect_exit = pasted.expect_exit;
  s.bug.expect_stdout = s.predicates.expect_stdout = pasted.expect_stdout;
  s.bug.fails_if_output = s.predicates.fails_if_output = pasted.fails_if_output;
  s.bug.ctest_rule = s.predicates.ctest_rule = pasted.ctest_rule;
  s.bug.env_seed = pasted.plan.env_seed;
  s.anchors = std::move(*pasted.anchors);
  s.plan = std::move(pasted.plan);
  s.input = input_of_tool();
  return s;
}

// Kept with the bug; or made now, where the program is still the one of the bug.
Anchors anchors_of_bug(const BugStore& store, const Bug& bug, const Trace& failing) {
  if (store.has(bug, kAnchorsFile)) {
    if (auto anchors = decode_anchors(store.text(bug, kAnchorsFile)); anchors && !anchors->empty()) return *anchors;
    throw Error(fmt::format("the anchors of bug {} are damaged: heddle simplify {} makes them again", bug.id, bug.id));
  }
  if (!bug.build_id.empty() && Symbols({bug.program}).build_id(0) == bug.build_id) {
    const Symbols symbols(module_paths(failing));
    return anchors_of(failing, symbols, {});
  }
  if (failing.switches() > kMostAnchored)
    throw Error(fmt::format("bug {} has {} switches, too many to find them in another build: heddle simplify {} first", bug.id,
                            failing.switches(), bug.id));
  throw Error(fmt::format("bug {} has no anchors, and the program it was found in is gone: it cannot be fitted to another build", bug.id));
}

}  // namespace

void each_other_schedule(Campaign& campaign, const Plan& base, const std::function<void(const Trace&)>& visit) {
  constexpr uint64_t kSchedules = 8;
  constexpr double kSeconds = 4;  // of a program whose runs are long, fewer
  const auto begun = std::chrono::steady_clock::now();
  Plan plan = base;
  plan.detect = kDetectStacks;
  for (uint64_t i = 0; i < kSchedules && !stop_flag(); ++i) {
    plan.tail = i == 0 ? PolicySpec{} : random_policy(i, i);
    visit(campaign.pool().run_now(plan).trace);
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count() > kSeconds) return;
  }
}

Anchors anchors_for(Campaign& campaign, const Trace& failing) {
  Plan plan = campaign.replay_plan(failing);
  plan.detect |= kDetectStacks;
  const Trace again = campaign.pool().run_now(plan).trace;
  const bool same = first_difference(failing, again) == kNoDifference;
  const Symbols symbols(module_paths(failing));
  Anchors anchors = anchors_of(failing, symbols, same ? stacks_in(again) : Stacks{});
  // What came from outside while it was recorded does not come to another schedule: that would wait for it.
  if (anchors.guarded.empty() || unseen(failing).empty() || failing.inputs().from_outside()) return anchors;
  // The failing run may not have come to where a name is used without a lock.
  plan.slices.clear();
  plan.choices.clear();
  plan.strictness = Strictness::kRelaxed;
  plan.inputs = nullptr;
  plan.input_id = campaign.input().id();
  Placer placer;
  each_other_schedule(campaign, plan, [&](const Trace& trace) { forget_bare(anchors, guarded_lines(placer.place(trace))); });
  return anchors;
}

void save_anchors(const BugStore& store, const std::string& id, Campaign& campaign, const Trace& failing) {
  // The schedule that was found first may have any number of switches; the simplified one has few, and gets its anchors, too.
  if (stop_flag() || failing.switches() > kMostAnchored) return;
  store.save_text(id, kAnchorsFile, encode_anchors(anchors_for(campaign, failing)));
}

ReplayString replay_string_of(const Bug& bug, const Trace& failing, const std::optional<Anchors>& anchors) {
  ReplayString replay;
  replay.build_id = bug.build_id;
  replay.command = bug.command;
  replay.kind = bug.kind;
  replay.signature = signature(failing);
  replay.plan = plan_of(failing);
  replay.anchors = anchors;
  replay.expect_exit = bug.expect_exit;
  replay.expect_stdout = bug.expect_stdout;
  replay.fails_if_output = bug.fails_if_output;
  replay.ctest_rule = bug.ctest_rule;
  // A recording was not searched for.
  replay.find_executions = bug.strategy == "record" ? 0 : bug.find_executions;
  return replay;
}

void save_program(const BugStore& store, const std::string& id, const Target& target) {
  std::error_code failure;
  const uintmax_t size = fs::file_size(target.program, failure);
  if (target.script || failure || size > kLargestProgram) return;
  store.save_text(id, kProgramFile, pack(read_file(target.program), kCompression));
}

VerifySubject load_subject(const std::string& name) {
  if (is_replay_string(name)) return subject_of_string(name);
  const BugStore store;
  VerifySubject s;
  s.bug = store.load(name);
  s.shown = fmt::format("bug {}", s.bug.id);
  const Seal::Verdict seal = store.check(s.bug);
  const bool own = s.own = seal.own && seal.changed.empty();
  if (!own && s.bug.fails_if)
    throw Error(fmt::format("bug {} is judged by a command that this user's heddle did not save: `{}`. heddle trust {} lets it run",
                            s.bug.id, *s.bug.fails_if, s.bug.id));
  s.failing = store.load_trace(s.bug, store.has(s.bug, kSimplifiedTrace) ? kSimplifiedTrace : kFailingTrace);
  if (s.failing->data().first != 0)
    throw Error(
        fmt::format("the first {} events of bug {} were not kept: it cannot be run on another build", s.failing->data().first, s.bug.id));
  s.anchors = anchors_of_bug(store, s.bug, *s.failing);
  s.plan = plan_of(*s.failing);
  s.bug.signature = signature(*s.failing);
  if (s.bug.strategy == "record") s.bug.find_executions = 0;
  s.predicates.expect_exit = s.bug.expect_exit;
  s.predicates.expect_stdout = s.bug.expect_stdout;
  s.predicates.fails_if_output = s.bug.fails_if_output;
  s.predicates.fails_if = s.bug.fails_if;
  s.predicates.ctest_rule = s.bug.ctest_rule;
  s.input = Input::of_bytes(store.text(s.bug, kStdin));
  // Data is shown as it was. Code is what is asked about: that of the new build counts, its libraries too.
  for (RecordedFile& file : store.changed_files(s.bug)) {
    if (own && !begins_like_code(file.bytes)) s.files.push_back(std::move(file));
  }
  if (own) s.environment = s.bug.environment;
  s.asks_peers = s.failing->inputs().from_outside();
  return s;
}

OldBuild::OldBuild(const VerifySubject& subject) {
  const Bug& bug = subject.bug;
  if (!subject.failing) {
    why_not_ = "a string carries no program";
    return;
  }
  const BugStore store;
  const Seal::Verdict seal = store.check(bug);
  if (!seal.own || !seal.changed.empty()) {
    why_not_ = "this user's heddle did not save it";
    return;
  }
  try {
    if (!bug.build_id.empty() && Symbols({bug.program}).build_id(0) == bug.build_id) {
      target_ = Target::resolve(bug.command, bug.directory);
      target_->set_variables(bug.environment, bug.whole_environment);
      return;
    }
    if (!store.has(bug, kProgramFile)) {
      why_not_ = "no copy of it was kept";
      return;
    }
    const auto program = unpack(store.text(bug, kProgramFile), kLargestProgram);
    if (!program) throw Error("its copy is damaged");
    place_ = (fs::temp_directory_path() / "heddle-old-XXXXXX").string();
    if (::mkdtemp(place_.data()) == nullptr) throw Error("there is not enough space");
    const std::string path = place_ + "/" + fs::path(bug.program).filename().string();
    replace_file(path, *program);
    fs::permissions(path, fs::perms::owner_all);
    Target target = Target::resolve({path}, bug.directory);
    target.arguments = bug.command;
    target_ = target;
    target_->set_variables(bug.environment, bug.whole_environment);
  } catch (const std::exception& error) {
    why_not_ = error.what();
  }
}

OldBuild::~OldBuild() {
  if (place_.empty()) return;
  std::error_code ignored;
  fs::remove_all(place_, ignored);
}

}  // namespace heddle::cli
