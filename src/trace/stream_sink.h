#pragma once
// Who takes the parts of a run while it goes on: events and inputs in the order in which they came, and the tables that give them names.
#include <memory>
#include <span>
#include <string_view>

#include "trace/checkpoint.h"
#include "trace/trace.h"

namespace heddle::trace {

class StreamSink {
 public:
  StreamSink() = default;
  StreamSink(const StreamSink&) = delete;
  StreamSink& operator=(const StreamSink&) = delete;
  virtual ~StreamSink() = default;

  // Each may throw Error: then nothing more is given, and the run goes on.
  virtual void tables(const Trace& without_events) = 0;  // those of all events and inputs that follow
  virtual void inputs(std::string_view records) = 0;     // wire/input.h
  virtual void events(uint64_t first, std::span<const Event> events) = 0;
  virtual void settle() = 0;  // about once a second: what was given so far is to survive everybody's death
  // A checkpoint will be made after all that was given so far: what follows must be readable without it. nullptr: none is taken.
  virtual std::unique_ptr<CheckpointSink> next_checkpoint() { return nullptr; }
};

}  // namespace heddle::trace
