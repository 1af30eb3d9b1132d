#pragma once
// What the verbs that work on a saved bug share: which bug, how long, and the failing run to start from.
#include <string>

#include "cli/reopen.h"
#include "cli/session.h"

namespace heddle::cli {

struct SavedBugOptions {
  std::string bug;
  double seconds = 60;
  uint64_t executions = 0;
  bool found = false;      // the schedule as it was found, not as it was simplified
  bool recording = false;  // and of a recording always: what was simplified has only the requests that it needs
  unsigned jobs = 0;
  std::string carrier;
  bool json = false;

  // `choose`: the user may say from which of the bug's schedules to start.
  void add_to(Verb& verb, bool choose = true);
  // The simplified run where there is one, unless the found one is wanted.
  const char* trace_name(const Bug& bug) const;
};

struct OpenedBug : Reopened {
  Trace failing;
};

// Reopens the campaign of the bug, catches interrupts and loads the failing run, which has to replay.
OpenedBug open_failing(const SavedBugOptions& options, const Session& session);

// The exit code of a verb that has come to its end, or was interrupted on the way.
int exit_unless_interrupted(ExitCode code);

}  // namespace heddle::cli
