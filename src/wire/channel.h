#pragma once
// The shared memory between the tool and one worker's target: control words, the plan, and the trace slot. Fixed-size records in a
// MAP_SHARED file, so that a trace survives any crash of the target without a handler. Sections start at kControlSize in the order below.
#include "wire/checkpoint.h"
#include "wire/code_point.h"
#include "wire/event.h"
#include "wire/input.h"
#include "wire/iteration.h"
#include "wire/outcome.h"
#include "wire/plan.h"
#include "wire/race.h"
#include "wire/version.h"

namespace heddle {

inline constexpr uint32_t kChannelMagic = 0x6C646568;              // "hedl"
inline constexpr const char* kChannelVariable = "HEDDLE_CHANNEL";  // "<tool pid>:<descriptor>" of the memfd, opened through /proc

enum class Mode : uint32_t {
  kOnce = 0,   // run the plan in this very process
  kServe = 1,  // stop before the first thread is created and fork a child for each plan
};
enum class Carrier : uint32_t { kFiber = 0, kKernel = 1 };
enum class ServerState : uint32_t { kNone = 0, kReady = 1, kBusy = 2 };
enum class Request : uint32_t { kRun = 0, kQuit = 1 };

// A run that is recorded while it goes on: events and inputs lie in rings, which the tool empties. All of it 0: the run keeps them to its end.
struct StreamBlock {
  uint64_t events;          // size of the ring of events: a power of two
  uint64_t input_bytes;     // of the ring of inputs
  uint64_t drained_events;  // by the tool, since the start of the run
  uint64_t drained_inputs;  // bytes
  uint64_t ready_inputs;    // bytes up to which records are whole
  uint32_t ticket;          // futex: the tool adds 1 when it has taken something
  uint32_t spare;
};
// An event's flags and value may be set after others have followed it: the tool takes no newer one before the end.
inline constexpr uint64_t kOpenEvents = 256;
inline constexpr uint64_t kStreamEvents = uint64_t{1} << 18;
inline constexpr uint64_t kStreamInputs = uint64_t{32} << 20;

// Futex words are written with a release store and woken; see exec/runner.cpp and runtime/process/server.cpp for the two sides.
struct Control {
  uint32_t magic;
  uint32_t version;
  uint64_t size;
  Mode mode;
  Carrier carrier;
  int32_t tool_pid;
  int32_t server_pid;  // 0 until the server is ready
  ServerState state;
  Request request;
  uint32_t command;     // futex: the tool adds 1 for each request
  uint32_t reply;       // futex: the server sets it to `command` when the request is done
  int32_t child_pid;    // of the run under way
  int32_t wait_status;  // of the finished run, as wait4 gives it
  uint32_t note_count;
  uint64_t file_bytes;  // used of the arena of files. Those of all runs, each once: the server opens some that its runs read
  // How often the files were put back since the server was started: what it has open is then no longer what a path names.
  uint32_t view_epoch;
  uint32_t debugger;  // stop (SIGTRAP) before each switch: set by replay --gdb
  StreamBlock stream;
  CheckpointWords checkpoint;
  RestoreWords restore;
};

enum class ThreadState : uint32_t { kRunnable = 0, kBlocked, kFinished, kRemoved };

// One thread of the run. The pending fields describe its next operation when the run ended.
struct ThreadRow {
  ThreadId id;
  uint32_t parent;      // index
  uint32_t birth;       // number among the parent's children, from 1
  uint32_t operations;  // executed
  ThreadState state;
  Op pending;
  uint16_t spare;
  uint32_t holder;     // index of the thread that holds what this one waits for, or kNoIndex
  ObjectId object;     // of the pending operation
  SiteId site;         // of the pending operation
  SiteId holder_site;  // where the holder took it
  uint32_t stack_size;
  uint32_t spare2;
  SiteId stack[24];
  SiteId entry;  // the thread's start routine
};
inline constexpr uint32_t kNoIndex = 0xFFFFFFFF;

struct ModuleRow {
  uint64_t bias;       // load bias in this process: never a name, only to read addresses of the run
  uint64_t low, high;  // extent relative to the bias
  char path[228];
  uint32_t instrumented;  // its code announces memory accesses to us
};

struct ObjectRow {
  ObjectId id;
  uint64_t a, b, offset;  // as given to make_object; kStack, in a report: where the frame ends that b lies in (report/locals.h)
  SiteId site;            // kHeap: where it was allocated; kStack: where the function begins from whose frame b is counted, if known
  uint64_t bytes;         // kHeap: size of the allocation
  uint64_t address;       // in this run, for watching; never a name
};

// Things the runtime could not control or model: told to the user, never hidden.
struct NoteRow {
  SiteId site;
  uint32_t count;
  char text[100];
};

// What the hooks of instrumented code did. Written by the run, read by the server (calls to rewrite) and by the tool.
inline constexpr uint32_t kMaxPatches = 1 << 16;
struct HookBlock {
  uint64_t accesses;  // hooks for plain accesses that were executed and not rewritten
  uint64_t atomics;
  uint64_t entries;      // of functions
  uint32_t patch_count;  // return addresses of calls that do not matter in this epoch
  uint32_t patched;      // how many of them the server has rewritten
  uint32_t in_twin;      // the run ended in plain code that stood in for instrumented code (runtime/memory/twins.h)
  uint64_t patches[kMaxPatches];
};

struct TraceHeader {
  uint64_t event_count;  // written after the event: a reader never sees a half-written one
  uint64_t clock_ns;     // virtual time at the end
  uint32_t thread_count;
  uint32_t module_count;
  uint32_t object_count;
  uint32_t race_count;
  uint32_t truncated;       // events beyond the capacity were executed but not kept
  uint64_t executed;        // events executed
  uint64_t slices_done;     // how far the plan's slices were followed
  uint64_t skipped_slices;  // relaxed: slices skipped because their thread could not run
  uint64_t
      input_bytes;  // used of the arena of recorded calls; of a stream: written since the start, with what is left out at the ring's end
  uint64_t inputs_lost;      // more came than the arena holds
  uint64_t iteration_count;  // rows; kept only where the plan asks for them
  uint64_t iterations_lost;  // that have no row
  uint32_t loop_count;
  uint32_t spare;
  uint64_t statement_mark;  // the address of the StatementMark; 0: the run has no marked statements
  OutcomeBlock outcome;
};

inline constexpr uint64_t kControlSize = 4096;
inline constexpr uint64_t kMaxThreads = 16384;
inline constexpr uint64_t kMaxModules = 512;
inline constexpr uint64_t kMaxObjects = 1 << 16;
inline constexpr uint64_t kMaxNotes = 64;
inline constexpr uint64_t kHeaderSize = 8192;
static_assert(sizeof(Control) <= kControlSize && sizeof(TraceHeader) <= kHeaderSize);

// Section offsets. Sparse: only what a run touches costs memory.
struct ChannelLayout {
  uint64_t plan, header, threads, modules, objects, notes, hooks, inspection, races, loops, iterations, inputs, files, replayed, events,
      total;
};
constexpr ChannelLayout channel_layout(uint64_t plan_bytes, uint64_t event_capacity) {
  auto page = [](uint64_t n) { return (n + 4095) & ~uint64_t{4095}; };
  ChannelLayout l{};
  l.plan = kControlSize;
  l.header = l.plan + page(plan_bytes);
  l.threads = l.header + kHeaderSize;
  l.modules = l.threads + page(kMaxThreads * sizeof(ThreadRow));
  l.objects = l.modules + page(kMaxModules * sizeof(ModuleRow));
  l.notes = l.objects + page(kMaxObjects * sizeof(ObjectRow));
  l.hooks = l.notes + page(kMaxNotes * sizeof(NoteRow));
  l.inspection = l.hooks + page(sizeof(HookBlock));
  l.races = l.inspection + page(sizeof(InspectionBlock));
  l.loops = l.races + page(kMaxRaces * sizeof(RaceRow));
  l.iterations = l.loops + page(kMaxLoops * sizeof(LoopRow));
  l.inputs = l.iterations + page(kMaxIterations * sizeof(IterationRow));
  l.files = l.inputs + page(kInputBytes);
  l.replayed = l.files + page(kFileBytes);
  l.events = l.replayed + page(kInputBytes);
  l.total = l.events + page(event_capacity * sizeof(Event));
  return l;
}
inline constexpr uint64_t kPlanBytes = uint64_t{1} << 30;  // address space, not memory
inline constexpr uint64_t kEventCapacity = uint64_t{1} << 25;

}  // namespace heddle
