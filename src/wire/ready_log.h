#pragma once
// What the runtime thought of each live thread before each event, for a run that checks the model against it. A DetectFlag of a plan, not
// together with the others that use the race table: its rows carry the log, as one stream of words in their stacks.
#include "wire/race.h"

namespace heddle {

inline constexpr uint32_t kDetectReady = 1u << 16;

// An entry: a head, and the threads by index, four in a word.
struct ReadyLogHead {
  uint32_t step;   // events executed before
  uint32_t words;  // that follow
};
struct ReadyLogThread {
  uint8_t op;  // the pending one
  uint8_t live : 1;
  uint8_t due : 1;    // its deadline has passed
  uint8_t ready : 2;  // Ready; kUnknown: not asked, to ask might change something
};
static_assert(sizeof(ReadyLogHead) == 8 && sizeof(ReadyLogThread) == 2 && kOpCount < 256);

inline constexpr uint32_t kReadyLogRow = 2 * kRaceStack;  // words in a row
inline constexpr uint64_t kReadyLogWords = uint64_t{kMaxRaces} * kReadyLogRow;

// The place of a word of the stream.
inline uint64_t& ready_log_word(RaceRow* rows, uint64_t index) {
  RaceRow& row = rows[index / kReadyLogRow];
  const uint64_t at = index % kReadyLogRow;
  return at < kRaceStack ? row.first.stack[at] : row.second.stack[at - kRaceStack];
}

}  // namespace heddle
