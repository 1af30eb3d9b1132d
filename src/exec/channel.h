#pragma once
// The tool's side of the shared memory (wire/channel.h).
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "exec/descriptor.h"
#include "symbols/waiting_loop.h"
#include "trace/stream_sink.h"
#include "trace/trace.h"
#include "wire/servers.h"

namespace heddle::exec {

class Channel {
 public:
  Channel(Mode mode, Carrier carrier);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // For the target's environment. Of a constant length: it lies on the main thread's stack, and must not move it.
  std::string variable() const;

  int descriptor() const { return file_.get(); }
  Control& control() { return *reinterpret_cast<Control*>(base_); }
  const Control& control() const { return *reinterpret_cast<const Control*>(base_); }
  ServerTable& servers() { return servers_of(&control()); }
  const ServerTable& servers() const { return servers_of(const_cast<Control*>(&control())); }
  void write_plan(const Plan& plan);

  InspectionBlock& inspection() { return *rows<InspectionBlock>(layout_.inspection); }
  std::vector<LoadedModule> modules() const;

  // Anything that moves when the run moves.
  uint64_t progress() const;
  bool runtime_seen() const { return header().thread_count > 0 || control().server_pid != 0; }

  // Did the run end in plain code that stood in for the function's own (runtime/memory/twins.h)?
  bool ended_in_twin() const;

  // Hands the next request to the server of that row.
  void send(Request request, uint32_t row = 0);
  // The slot as it was after so many events of that run.
  void put_back(const Trace& trace, uint64_t step);
  bool answered() const;
  // Sleeps until the server says something, at most so long.
  void wait_for_server(int milliseconds) const;
  bool server_ready() const;

  // The run's events and inputs are to be taken away while it goes on, by take_stream().
  void begin_stream();
  // Gives what has come since to the sink; `last`: the process is dead, and everything is taken. Throws what the sink throws.
  void take_stream(const Plan& plan, StreamSink& sink, bool last);
  // The tables are given once more, before what follows.
  void repeat_tables() { tables_seen_ = 0; }
  // Without giving it to anybody.
  void drop_stream();
  bool streams() const { return control().stream.events != 0; }
  uint64_t event_count() const;

  // The trace as it is in the slot. Whatever the target scribbled there, the result is well-formed.
  // Without the events if `wanted` is given and does not want those of a run that ended so.
  Trace read(const Plan& plan, int wait_status, const std::function<bool(const Outcome&)>& wanted = nullptr) const;

 private:
  std::shared_ptr<const InputLog> read_inputs() const;
  void read_iterations(Trace::Data& data) const;
  std::string ring_inputs(uint64_t from, uint64_t to) const;
  void drained(uint64_t events, uint64_t inputs);
  bool tables_have_changed(const Plan& plan);
  const TraceHeader& header() const { return *reinterpret_cast<const TraceHeader*>(base_ + layout_.header); }
  template <typename Row>
  Row* rows(uint64_t offset) {
    return reinterpret_cast<Row*>(base_ + offset);
  }
  template <typename Row>
  const Row* rows(uint64_t offset) const {
    return reinterpret_cast<const Row*>(base_ + offset);
  }
  Outcome outcome(int wait_status) const;

  ChannelLayout layout_;
  Descriptor file_;
  char* base_ = nullptr;
  using Clock = std::chrono::steady_clock;
  uint64_t tables_seen_ = 0;  // a hash of their sizes
  Clock::time_point tables_due_;
};

// How a process ended, where the runtime did not get to say.
Outcome outcome_of_status(int wait_status);

}  // namespace heddle::exec
