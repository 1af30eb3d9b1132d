#pragma once
// Did two runs end alike, and did they write the same?
#include <string>

#include "exec/judge.h"
#include "trace/trace.h"

namespace heddle::cli {

// Processes that the program starts run as they like, and so comes what they write.
bool output_is_its_own(const Trace& trace);

// Numbers that name addresses and processes of the machine count as equal: 0x1f0, a word of ten or more hexadecimal digits, ==12==,
// pid=12. Returns what differs ("the output differs: stdout, line 3"), or nothing.
std::string output_difference(const Output& before, const Output& now);

// A recording without the program's end: heddle was killed, or the disk was full.
bool is_cut(const Trace& trace);
// As first_difference; of a recording that is cut, the events alone count.
size_t replay_difference(const Trace& recorded, const Trace& again, std::string* why);

// Why a replay went another way: what the run says that could not follow, and where the two differed first.
std::string divergence(const Trace& again, size_t at, const std::string& difference);

// A program that a signal from outside has ended may go on for ever without it: an exact replay is given up soon after the recorded end.
void end_soon_after(const Trace& trace, Plan* plan);

}  // namespace heddle::cli
