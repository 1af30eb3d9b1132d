#include "trace/input_log.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace heddle::trace {

std::optional<InputPeer> InputCall::peer() const {
  InputPeer peer{};
  if ((stamp & kHasPeer) == 0 || bytes.size() < sizeof peer) return std::nullopt;
  std::memcpy(&peer, bytes.data() + bytes.size() - sizeof peer, sizeof peer);
  return peer;
}

bool InputLog::from_outside() const {
  return std::any_of(calls.begin(), calls.end(), [](const InputCall& c) { return came_from_outside(c.thread); });
}

bool InputLog::is_of_first_process() const {
  bool recorded = false;
  for (const InputCall& call : calls) {
    uint32_t forks = 0;
    if (call.thread == kBranchInputs && call.bytes.size() >= sizeof forks) std::memcpy(&forks, call.bytes.data(), sizeof forks);
    if (forks != 0) return false;
    recorded = recorded || call.thread == kClockInputs;
  }
  return recorded;
}

void add_inputs(const char* arena, uint64_t bytes, InputLog& log) {
  for (uint64_t at = 0; at + sizeof(InputRecord) <= bytes;) {
    InputRecord r{};
    std::memcpy(&r, arena + at, sizeof r);
    if (input_record_bytes(r.size) > bytes - at) break;
    const std::string contents(arena + at + sizeof r, r.size);
    at += input_record_bytes(r.size);
    if (r.kind == InputKind::kFile) {
      const bool known = std::any_of(log.files.begin(), log.files.end(), [&](const InputFile& f) { return f.path == contents; });
      if (!known) log.files.push_back({contents, static_cast<uint64_t>(r.result), r.stamp});
    } else if (r.kind == InputKind::kCall && static_cast<uint16_t>(r.op) < kOpCount) {
      log.calls.push_back({r.thread, r.ordinal, r.op, r.result, r.stamp, contents});
    } else {
      break;
    }
  }
}

void parse_inputs(const char* arena, uint64_t bytes, InputLog& log) {
  add_inputs(arena, bytes, log);
  sort_inputs(log);
}

void sort_inputs(InputLog& log) {
  std::stable_sort(log.calls.begin(), log.calls.end(),
                   [](const InputCall& a, const InputCall& b) { return std::tie(a.thread, a.ordinal) < std::tie(b.thread, b.ordinal); });
}

std::string replay_block(const InputLog& log, bool exact) {
  std::string block(sizeof(ReplayedInputs) + log.calls.size() * sizeof(uint64_t), '\0');
  const InputMode mode = exact ? InputMode::kExact : log.by_peer ? InputMode::kByPeer : InputMode::kRelaxed;
  ReplayedInputs head{log.calls.size(), mode};
  for (size_t i = 0; i < log.calls.size(); ++i) {
    const InputCall& call = log.calls[i];
    if (block.size() + input_record_bytes(call.bytes.size()) > kInputBytes) {
      head.count = i;
      break;
    }
    const uint64_t offset = block.size();
    std::memcpy(block.data() + sizeof head + i * sizeof offset, &offset, sizeof offset);
    const InputRecord r{InputKind::kCall, static_cast<uint32_t>(call.bytes.size()), call.thread, call.ordinal, call.op, 0, call.result,
                        call.stamp};
    block.append(reinterpret_cast<const char*>(&r), sizeof r);
    block.append(call.bytes);
    block.resize(offset + input_record_bytes(call.bytes.size()));
  }
  std::memcpy(block.data(), &head, sizeof head);
  return block;
}

}  // namespace heddle::trace
