#pragma once
// Files whose contents are input of a recording: those that the kernel makes up when they are read (/proc, /sys and their kin), and those that the program has opened for
// reading and writing. Of the latter nobody could say after the run what was in them before.
#include <stdio.h>

#include "runtime/base/sys.h"
#include "runtime/outside/descriptor_facts.h"
#include "runtime/outside/recorded_names.h"

namespace heddle::rt {

bool is_path_of_kernel(const char* path);

inline bool reads_input(int fd) { return keeps_names() && file_kind(fd) != FileKind::kOther && file_kind(fd) != FileKind::kUnknown; }

// A read from such a file; `moves`: the file's offset goes on by what was read. Under another schedule the program may have written other things.
template <typename Call>
long read_as_input(int fd, const Filled& filled, bool moves, Call call) {
  const bool recorded = replays_exactly() || file_kind(fd) == FileKind::kKernels;
  long result = 0;
  if (!replays_inputs() || !take_input(kKernelState, recorded ? filled : Filled{nullptr, 0, 0, 1}, &result) || !recorded) {
    result = call();
  } else if (moves && result > 0) {
    sys(SYS_lseek, fd, result, SEEK_CUR);
  }
  log_input(kKernelState, filled, result);
  return result;
}

// The C library reads a stream by calls of its own: in place of the kernel's file it gets one that holds what the kernel says now, or said then.
void hold_contents(FILE* stream);

}  // namespace heddle::rt
