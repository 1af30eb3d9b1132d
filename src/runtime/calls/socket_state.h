#pragma once
// What the kernel says of a socket that leads outside is input: in a replay nobody is at the other end, and somebody else may have its name.
#include "runtime/outside/descriptors.h"
#include "runtime/outside/recorded_names.h"

namespace heddle::rt {

// `ask` returns what the kernel says, -errno on failure.
template <typename Ask>
long ask_socket(int fd, const Filled& filled, Ask ask) {
  if (!keeps_names()) return ask();
  const DescriptorInfo info = describe(fd);
  if (!info.socket || info.reach != Reach::kForeign) return ask();
  if (!replays_inputs()) {
    const long result = ask();
    log_input(kSocketState, filled, result, {fd, PeerCall::kState});
    return result;
  }
  // Asked all the same: what stands in for the socket has its flags and time-outs, too. Recordings from before have no answers.
  long result = ask();
  const Reaching reaching{fd, PeerCall::kState};
  if (take_input(kSocketState, filled, &result, reaching)) log_input(kSocketState, filled, result, reaching);
  return result;
}

}  // namespace heddle::rt
