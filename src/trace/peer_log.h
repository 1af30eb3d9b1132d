#pragma once
// What came from outside, by whose bytes they were and not by which thread took them: what a run of another schedule is given, or of a part of a recording.
// Another worker takes the connection there, and has its bytes all the same (InputMode::kByPeer).
#include <memory>
#include <optional>
#include <unordered_map>

#include "trace/input_log.h"

namespace heddle::trace {

bool is_wait_for_descriptors(Op op);
// Calls on descriptors are the peer's, the rest the thread's own.
bool is_peers_call(const InputPeer& peer);

class PeerLog {
 public:
  explicit PeerLog(const InputLog& whole);

  void keep(InputCall call) { log_.calls.push_back(std::move(call)); }  // nobody's
  // In the order in which the calls were made; `named`: the descriptor's name in the run.
  void add(InputCall call, PeerId named);
  // What the peer says next is that it is gone.
  void hang_up(PeerId named);
  InputLog take();

 private:
  InputLog log_;
  std::unordered_map<ThreadId, uint32_t> count_;
  std::unordered_map<ThreadId, bool> empty_;  // the last one said that nothing had come: once is enough
};

// All of it. Nothing: an earlier version recorded it and does not say whose bytes they were, or it is such a log already.
std::shared_ptr<const InputLog> played_by_peers(const InputLog& log);

}  // namespace heddle::trace
