#pragma once
// A place in code that announces nothing, made an operation of the run. The tool decodes the instructions there and prepares a copy of them
// that does the same elsewhere; the runtime puts a jump in their place, or a breakpoint where a jump does not fit, and goes on in the copy.
// Machine code never comes from a file that somebody may have sent: the tool makes it anew from the program's own modules, and
// the runtime compares the original bytes before it writes.
#include "wire/ids.h"

namespace heddle {

// Among a plan's `sites`: the site is a loop that waits without a call. After the racing ones, before those of disabled hooks.
inline constexpr SiteId kLoopMark = SiteId{1} << 62;
constexpr SiteId waiting_loop(SiteId site) { return site | kLoopMark; }
// The site is an instruction of plain code that accesses memory, and a point under every PointKind: the tool puts only those there that are to be.
inline constexpr SiteId kAccessMark = SiteId{1} << 61;
constexpr SiteId plain_access(SiteId site) { return site | kAccessMark; }
// Such an instruction, an ordinary one, is known to access an atomic variable.
inline constexpr SiteId kAtomicAccessMark = SiteId{1} << 59;
constexpr SiteId plain_atomic_access(SiteId site) { return plain_access(site) | kAtomicAccessMark; }
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
  struct Fix {        // four bytes of the copy hold a distance, or eight an address:
    uint8_t at;       // where they are
    uint8_t end;      // from where it counts; 0: an address
    uint64_t target;  // to where, as an offset in the module
  };
  enum class Relative : uint8_t { kNothing = 0, kModule, kThread };
  enum class Exchange : uint8_t { kNone = 0, kAlways, kIfEqual };  // kIfEqual: compares with rax, or rdx and rax, as cmpxchg does
  struct Operand {         // the memory that the first instruction accesses; size 0, and no call: it is a loop that waits
    int64_t displacement;  // kModule: an offset in the module
    int8_t base, index;    // numbers of registers, or -1
    uint8_t scale, size, reads, writes;
    Relative relative;
    uint8_t atomic;
    Exchange exchange;
    int8_t with;  // an exchange: the register that is written, its low bits; or -1
    uint8_t spare[6];
  };
  SiteId site;     // unmarked: where the first instruction is
  uint64_t from;   // events of the run before which passing the place is none
  uint8_t length;  // bytes of the original instructions
  uint8_t copy_length;
  uint8_t part_count;
  uint8_t fix_count;
  uint8_t jump;    // 1: a jump fits; 0: a breakpoint
  uint8_t leaves;  // 1: the copy ends by a jump or return of its own
  uint8_t call;    // 1: a call whose accesses are the point, of which nothing more is known
  uint8_t spare;
  uint8_t original[kMostOriginal];
  uint8_t copy[kMostCopied];
  Part parts[kMostParts];
  Fix fixes[kMostFixes];
  Operand operand;
};
static_assert(sizeof(CodePoint) % 8 == 0);
// Every passage is an operation; of a loop that waits, only some are.
constexpr bool is_access(const CodePoint& point) { return point.operand.size != 0 || point.call != 0; }

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
