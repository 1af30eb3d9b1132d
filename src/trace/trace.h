#pragma once
// What a run left behind: an immutable record of every operation, with the tables that turn names into words.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace/input_log.h"
#include "trace/long_rows.h"
#include "trace/outcome.h"
#include "trace/plan.h"
#include "wire/channel.h"
#include "wire/event.h"

namespace heddle::trace {

// A maximal run of consecutive events of one thread: the papers' thread execution interval (TEI).
struct TraceSlice {
  uint32_t thread;    // index
  size_t begin, end;  // events [begin, end)
  bool preempted;     // the switch that ends it is a preemption by our rule
  bool preempted_paper;
};

struct Thread {
  ThreadId id = kNoThread;
  uint32_t parent = 0;
  uint32_t birth = 0;
  std::string path;  // "0.2.1"
  uint32_t operations = 0;
  ThreadState state = ThreadState::kRunnable;
  Op pending = Op::kNone;  // its next operation when the run ended
  ObjectId object = kNoObject;
  SiteId site = kNoSite;
  uint32_t holder = kNoIndex;
  SiteId holder_site = kNoSite;
  std::vector<SiteId> stack;
  SiteId entry = kNoSite;
};

struct Module {
  std::string path;
  uint64_t bias = 0;          // in the process that ran; only to read raw addresses
  bool instrumented = false;  // its code announces memory accesses
};

// How often the hooks of instrumented code were executed; not kept on disk.
struct HookCounts {
  uint64_t accesses = 0;
  uint64_t atomics = 0;
  uint64_t entries = 0;
  uint64_t patched = 0;        // calls rewritten because they do not matter in this point set
  std::vector<SiteId> listed;  // what the plan asked to list (wire/disabled_hooks.h)
};

struct Note {
  SiteId site = kNoSite;
  uint32_t count = 0;
  std::string text;
};

// A loop whose iterations are known.
struct Loop {
  LoopId id = 0;
  std::string place;  // "file:line"
};

// Sizes of a schedule in the words of the contract ("Counting").
struct Counts {
  size_t events = 0;
  size_t threads = 0;  // that executed at least one event
  size_t switches = 0;
  size_t preemptions = 0;
  size_t preemptions_paper = 0;  // without the exceptions for yields and time-outs

  friend bool operator==(const Counts&, const Counts&) = default;
};

class Trace {
 public:
  struct Data {
    LongRows<Event> events;
    std::vector<Thread> threads;
    std::vector<Module> modules;
    std::vector<ObjectRow> objects;
    std::vector<Note> notes;
    Outcome outcome;
    uint64_t first = 0;     // events of the run before the first of these: it was replayed from a checkpoint, or its beginning was not kept
    uint64_t executed = 0;  // more than first + events.size() where the trace was truncated
    uint64_t slices_done = 0;
    uint64_t skipped_slices = 0;
    uint64_t clock_ns = 0;
    PointKind points = PointKind::kSync;
    uint64_t points_id = 0;
    uint64_t env_seed = 0;
    uint64_t input_id = 0;
    std::vector<SiteId> sites;                           // kRacy: the accesses that were points
    std::shared_ptr<const std::vector<CodePoint>> code;  // the waiting loops of them, as the plan had them; not kept on disk
    // A loop that waits without a call, and at which this run was given up: it has to be among the sites of the next one. Not kept on disk.
    std::vector<CodePoint> learnt;
    std::vector<RaceRow> races;  // where the plan asked for them; not kept on disk
    HookCounts hooks;
    // Where the plan asked for them (kDetectIterations); not kept on disk.
    std::vector<IterationRow> iterations;
    std::vector<Loop> loops;
    uint64_t statement_mark = 0;   // where a run says which statements it comes to (kDetectStatements); 0: it has none
    uint64_t iterations_lost = 0;  // that have no row: there were too many
    bool abandoned = false;        // nobody waited for its end: the time was over, or the user interrupted
    std::vector<Skip> skips;       // parts of the program the plan had removed
    std::shared_ptr<const InputLog> inputs = std::make_shared<const InputLog>();  // what came from outside
  };

  Trace() : data_(std::make_shared<const Data>()) {}
  explicit Trace(Data data);  // computes slices; fills thread paths

  std::span<const Event> events() const { return data_->events; }
  std::span<const Thread> threads() const { return data_->threads; }
  std::span<const Module> modules() const { return data_->modules; }
  std::span<const ObjectRow> objects() const { return data_->objects; }
  std::span<const Note> notes() const { return data_->notes; }
  const Outcome& outcome() const { return data_->outcome; }
  const Data& data() const { return *data_; }

  std::span<const TraceSlice> slices() const { return *slices_; }
  Counts counts() const;
  size_t switches() const { return slices_->empty() ? 0 : slices_->size() - 1; }
  size_t preemptions() const { return counts().preemptions; }

  ThreadId thread_id(const Event& e) const { return data_->threads[e.thread].id; }
  const Thread& thread(const Event& e) const { return data_->threads[e.thread]; }
  // Index of the thread of that name in this run, or kNoIndex.
  uint32_t thread_index(ThreadId id) const;
  const ObjectRow* object(ObjectId id) const;

  const InputLog& inputs() const { return *data_->inputs; }

  Trace with_outcome(Outcome outcome) const;
  Trace with_learnt(std::vector<CodePoint> loops) const;
  Trace with_inputs(InputLog inputs) const;

 private:
  std::shared_ptr<const Data> data_;
  std::shared_ptr<const LongRows<TraceSlice>> slices_ = std::make_shared<const LongRows<TraceSlice>>();
};

// The choice that the event made, as a plan has it; or nothing.
std::optional<Choice> choice_of(const Trace& trace, const Event& event);

// The plan that makes the same run again: the trace's slices and choices, over the same point set and environment.
Plan plan_of(const Trace& trace, Strictness strictness = Strictness::kStrict);

// Index of the first event in which two runs differ in what the program did (thread, operation, object, site, value, flags), or
// npos when neither differs up to and including the end. `why` gets a sentence.
inline constexpr size_t kNoDifference = static_cast<size_t>(-1);
size_t first_difference(const Trace& a, const Trace& b, std::string* why = nullptr);

// Names the bug (contract "Outcomes"): same bug = same kind and signature. Built from sites and texts only, never from addresses,
// thread numbers or the schedule.
std::string signature(const Trace& trace);
// The same bug? Kind and signature agree.
bool same_bug(const Trace& a, const Trace& b);

}  // namespace heddle::trace
