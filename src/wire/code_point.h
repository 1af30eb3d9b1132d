#pragma once
// A place in code that announces nothing, made an operation of the run. The tool decodes the instructions there and prepares a copy of them
// that does the same elsewhere; the runtime puts a jump in their place, or a breakpoint where a jump does not fit, and goes on in the copy.
// Machine code never comes from a file that somebody may have sent: the tool makes it anew from the program's own modules, and
// the runtime compares the original bytes before it writes.
#include "wire/ids.h"

namespace heddle {

// Among a plan's `sites`: the site is a loop that waits without a call. After the racing ones, before the quiet ones.
inline constexpr SiteId kLoopMark = SiteId{1} << 62;
constexpr SiteId waiting_loop(SiteId site) { return site | kLoopMark; }
// The site is an instruction of plain code that accesses memory.
inline constexpr SiteId kAccessMark = SiteId{1} << 61;
constexpr SiteId plain_access(SiteId site) { return site | kAccessMark; }
// Not a site: the point set has a point after each operation that let somebody go on.
inline constexpr SiteId kAfterReleases = SiteId{1} << 60;

inline constexpr uint32_t kMostOriginal = 24;  // bytes that are displaced
inline constexpr uint32_t kMostCopied = 64;
inline constexpr uint32_t kMostParts = 6;
inline constexpr uint32_t kMostFixes = 6;

struct CodePoint {
  struct Part {
    uint8_t original, copy;  // where an instruction begins, in the original and in the copy
  };
  struct Fix {        // four bytes of the copy hold a distance:
    uint8_t at;       // where they are
    uint8_t end;      // from where it counts
    uint64_t target;  // to where, as an offset in the module
  };
  struct Operand {         // the memory that the first instruction accesses; size 0: it is a loop that waits
    int64_t displacement;  // of_instruction: an offset in the module
    int8_t base, index;    // numbers of registers, or -1
    uint8_t scale, size, reads, writes, of_instruction, atomic;
  };
  SiteId site;     // unmarked: where the first instruction is
  uint64_t from;   // events of the run before which passing the place is none
  uint8_t length;  // bytes of the original instructions
  uint8_t copy_length;
  uint8_t part_count;
  uint8_t fix_count;
  uint8_t jump;    // 1: a jump fits; 0: a breakpoint
  uint8_t leaves;  // 1: the copy ends by a jump or return of its own
  uint8_t spare[2];
  uint8_t original[kMostOriginal];
  uint8_t copy[kMostCopied];
  Part parts[kMostParts];
  Fix fixes[kMostFixes];
  Operand operand;
};
static_assert(sizeof(CodePoint) % 8 == 0);

// What the tool asks of a run that computes and comes to no point, by a SIGTRAP to the thread that runs: the next instructions, one by one,
// or a code point from now on.
enum class Inspection : uint32_t { kNone = 0, kSteps, kInstall };
inline constexpr uint32_t kMostSteps = 6000;
struct CodeStep {
  uint64_t pc;
  uint64_t registers[16];  // in the order of their numbers in instructions: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8...
};
struct InspectionBlock {
  uint32_t request;  // the tool adds one
  uint32_t reply;    // the runtime sets it to that when it is done
  Inspection what;
  uint32_t step_count;
  uint32_t wanted_steps;
  uint32_t installed;
  CodePoint point;
  CodeStep steps[kMostSteps];
};

}  // namespace heddle
