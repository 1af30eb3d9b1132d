#pragma once
// What is left of a reduced run, in words.
#include <string>
#include <vector>

#include "store/reduction.h"

namespace heddle::report {

// "3 of 11 threads and 2 of 100 iterations".
std::string kept_words(const ReductionRecord& reduction);
// "sql_engine.cpp:72: T2 executes iteration 7 (10 in the whole run)", one for each loop and thread.
std::vector<std::string> iteration_lines(const ReductionRecord& reduction);
// "connection 12, request 340: 17 bytes, `GET /`", one for each that is kept; none where nothing came from outside.
std::vector<std::string> request_lines(const ReductionRecord& reduction);
// "T2 executes lines 12 to 14, 20 of sql_engine.cpp", one for each thread and file; none where statements were not sliced.
std::vector<std::string> statement_lines(const ReductionRecord& reduction);
// "94100 -> 2010 events, one replay 0.466 -> 0.010 s".
std::string shorter_words(const ReductionRecord& reduction);
// "blocks 536000000 -> 81179, traced 9511 of them in 3 of 17 intervals, in 2310 bytes".
std::string trace_words(const TraceSizes& sizes);
// The two conditions of the criterion, in a sentence.
std::string criterion_words(const ReductionRecord& reduction);

}  // namespace heddle::report
