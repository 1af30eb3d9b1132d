#pragma once
// A request cut into the messages that it may hold: where nobody answers each of them, what a peer sent until it was answered can be thousands of lines.
#include <cstdint>
#include <string>
#include <vector>

#include "trace/input_log.h"

namespace heddle::simplify {

// A stretch of what a call of the log gave: bytes [from, to) of it.
struct CallPart {
  uint32_t call = 0;
  size_t from = 0, to = 0;
};
using Message = std::vector<CallPart>;

// What the program got by it, without what the log keeps behind it; and can parts of it be left out, or only all?
size_t received_bytes(const InputCall& call);
std::string bytes_of(const InputCall& call, const CallPart& part);
bool can_be_cut(const InputCall& call);

// Did somebody do something else between these two reads, or had a line come to its end?
bool begins_anew(const InputCall& before, const InputCall& read);

// `reads`: calls of the log that received something, in order. Lines of a text, over all of them; of anything else, what was read in one go.
std::vector<Message> messages_of(const InputLog& log, const std::vector<uint32_t>& reads);

}  // namespace heddle::simplify
