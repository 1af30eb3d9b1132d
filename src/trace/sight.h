#pragma once
// Do the events of a run show all that its threads did to each other? Whoever calls two runs the same because their independent events
// came in another order says yes (docs/decisions/0012).
#include <string>
#include <vector>

#include "trace/trace.h"

namespace heddle::trace {

// Code of the program that announces no memory accesses, by path. The loader, libc, libm, the libraries of the compilers and our own are
// not named: what they do for the program is an operation, or is assumed to be independent.
std::vector<std::string> plain_modules(const Trace& trace);

// Why the events do not show everything, in a few words; empty if they do. A program without files of code (a toy) consists of its events.
// Under PointKind::kRacy an empty answer holds for runs that were watched for races and showed none outside of the points (`open_sites`).
std::string unseen(const Trace& trace);

// Something besides the order of conflicting operations decides how the run goes on: a time-out.
bool has_timed_operations(const Trace& trace);

// How many time-outs fired while somebody else could have gone on.
size_t early_timeouts(const Trace& trace);
// A sleep or a time-out that ended while somebody else could have gone on, or a wait on a condition that ended without a signal.
bool before_its_time(const Event& event);
size_t timing_choices(const Trace& trace);

// Makes runs of this plan show the races that the points leave out; where these are racing accesses, nothing is hidden from the
// detector any more.
void watch(Plan& plan);
// Sites that raced in a watched run although they are no points of it; sorted. None: the point set is closed, as far as this run shows.
std::vector<SiteId> open_sites(const Trace& trace);
// Why the point set is not closed, in a few words; empty: nothing speaks against it. One that was learnt from runs of a plain program never is.
std::string open_points(const Trace& trace);
// The run made a process, or a thread that is not under control.
bool starts_others(const Trace& trace);
inline constexpr const char* kOthersAct = "when the processes act that the program starts was not enumerated";
inline constexpr const char* kLearntPoints = "which accesses are points was learnt from some runs, and others may race";

}  // namespace heddle::trace
