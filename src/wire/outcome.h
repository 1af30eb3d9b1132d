#pragma once
#include "wire/ids.h"

namespace heddle {

enum class OutcomeKind : uint32_t {
  kUnknown = 0,  // the runtime did not get to say: the process status decides
  kExit,         // code
  kSignal,       // code = signal number
  kAbort,
  kAssert,
  kException,
  kDeadlock,
  kLivelock,
  kMisuse,        // an operation the program may not do: unlock by a non-owner, destroying a held mutex, use of freed memory...
  kOutput,        // decided by the tool from a user's predicate
  kExternalWait,  // every thread waits for something outside the program
  kCannotControl,
  kDiverged,
  kLimit,  // new kinds come after this one: saved traces hold the numbers
};
inline constexpr const char* kOutcomeNames[] = {"unknown",  "exit",   "signal", "abort",         "assert",         "exception", "deadlock",
                                                "livelock", "misuse", "output", "external-wait", "cannot-control", "diverged",  "limit"};
constexpr const char* name(OutcomeKind kind) { return kOutcomeNames[static_cast<uint32_t>(kind)]; }

inline constexpr uint32_t kMaxStack = 48;
inline constexpr uint32_t kMaxMessage = 1024;

// What the runtime writes when a run ends. Zero-initialised: kind kUnknown means that the process died without a word.
struct OutcomeBlock {
  OutcomeKind kind;
  int32_t code;
  uint32_t thread;  // index of the thread that ended the run
  uint32_t stack_size;
  SiteId stack[kMaxStack];  // innermost first; return addresses minus one
  char message[kMaxMessage];
  // kMisuse of freed memory: the three places and who was there (thread index or kNoThreadIndex).
  SiteId used, allocated, freed;
  uint32_t allocated_by, freed_by;
};
inline constexpr uint32_t kNoThreadIndex = 0xFFFFFFFF;

}  // namespace heddle
