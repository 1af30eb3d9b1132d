#include "simplify/messages.h"

#include <algorithm>

namespace heddle::simplify {

namespace {

bool is_text(char c) { return static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\r' || c == '\t'; }

bool is_text(const InputCall& call) {
  const std::string bytes = bytes_of(call, {0, 0, received_bytes(call)});
  return can_be_cut(call) && std::all_of(bytes.begin(), bytes.end(), [](char c) { return is_text(c); });
}

std::vector<Message> lines_of(const InputLog& log, const std::vector<uint32_t>& reads) {
  std::vector<Message> lines;
  bool fresh = true;
  for (uint32_t call : reads) {
    const std::string& bytes = log.calls[call].bytes;
    const size_t size = received_bytes(log.calls[call]);
    for (size_t from = 0; from < size;) {
      const size_t found = bytes.find('\n', from);
      const size_t to = std::min(found == std::string::npos ? size : found + 1, size);
      if (fresh) lines.emplace_back();
      lines.back().push_back({call, from, to});
      fresh = found != std::string::npos && found < size;
      from = to;
    }
  }
  return lines;
}

}  // namespace

size_t received_bytes(const InputCall& call) {
  const size_t behind = call.peer() ? sizeof(InputPeer) : 0;
  return std::min(call.bytes.size() - behind, static_cast<size_t>(std::max<int64_t>(call.result, 0)));
}

// Who sent it, and the like, lies before what was sent.
std::string bytes_of(const InputCall& call, const CallPart& part) {
  const size_t behind = call.peer() ? sizeof(InputPeer) : 0;
  const size_t begin = call.bytes.size() - behind - received_bytes(call);
  return call.bytes.substr(begin + part.from, part.to - part.from);
}

bool can_be_cut(const InputCall& call) {
  return call.peer() && call.result > 0 && static_cast<size_t>(call.result) == call.bytes.size() - sizeof(InputPeer);
}

bool begins_anew(const InputCall& before, const InputCall& read) {
  const size_t size = received_bytes(before);
  if (size > 0 && bytes_of(before, {0, size - 1, size}) == "\n") return true;
  const auto a = before.peer(), b = read.peer();
  return before.thread != read.thread || (a && b && b->number > a->number + 1);
}

std::vector<Message> messages_of(const InputLog& log, const std::vector<uint32_t>& reads) {
  if (std::all_of(reads.begin(), reads.end(), [&](uint32_t call) { return is_text(log.calls[call]); })) return lines_of(log, reads);
  std::vector<Message> messages;
  for (size_t i = 0; i < reads.size(); ++i) {
    const InputCall& call = log.calls[reads[i]];
    if (i == 0 || begins_anew(log.calls[reads[i - 1]], call)) messages.emplace_back();
    messages.back().push_back({reads[i], 0, received_bytes(call)});
  }
  return messages;
}

}  // namespace heddle::simplify
