#include "trace/peer_log.h"

#include <algorithm>
#include <cerrno>

namespace heddle::trace {

bool is_wait_for_descriptors(Op op) { return op == Op::kPoll || op == Op::kTimedPoll; }

bool is_peers_call(const InputPeer& peer) { return peer.call != PeerCall::kNone && peer.call != PeerCall::kOwn; }

PeerLog::PeerLog(const InputLog& whole) {
  log_.files = whole.files;
  log_.by_peer = true;
}

void PeerLog::add(InputCall call, PeerId named) {
  const InputPeer peer = *call.peer();
  call.thread = is_peers_call(peer) ? peer_key(peer.call, named) : peer_key(PeerCall::kOwn, own_peer(call.thread, call.op));
  const bool nothing = is_peers_call(peer) && call.result == -EAGAIN;
  bool& empty = empty_[call.thread];
  if (nothing && empty) return;
  empty = nothing;
  call.ordinal = count_[call.thread]++;
  log_.calls.push_back(std::move(call));
}

void PeerLog::hang_up(PeerId named) {
  const InputPeer whose{named, kNoPeer, 0, ~uint32_t{0}, PeerCall::kRead};
  InputCall call{kNoThread, 0, Op::kRead, 0, kHasPeer, {}};
  call.bytes.assign(reinterpret_cast<const char*>(&whose), sizeof whose);
  add(std::move(call), named);
}

InputLog PeerLog::take() {
  sort_inputs(log_);
  return std::move(log_);
}

std::shared_ptr<const InputLog> played_by_peers(const InputLog& log) {
  if (log.by_peer || log.lost != 0) return nullptr;
  PeerLog played(log);
  std::vector<std::pair<uint32_t, uint32_t>> in_order;
  for (uint32_t i = 0; i < log.calls.size(); ++i) {
    const auto peer = log.calls[i].peer();
    if ((log.calls[i].stamp & kLostWait) != 0) continue;  // in another schedule nobody takes it
    if (!peer) {
      played.keep(log.calls[i]);
    } else if (is_peers_call(*peer) || !is_wait_for_descriptors(log.calls[i].op)) {
      in_order.emplace_back(peer->order, i);
    }
  }
  if (in_order.empty()) return nullptr;
  std::sort(in_order.begin(), in_order.end());
  for (const auto& [order, i] : in_order) played.add(log.calls[i], log.calls[i].peer()->peer);
  return std::make_shared<const InputLog>(played.take());
}

}  // namespace heddle::trace
