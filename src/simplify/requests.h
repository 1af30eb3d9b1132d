#pragma once
// What a recorded run got from outside, taken apart into connections and requests: the parts of it that may be left out (Execution Reduction, section 3.2:
// an interval is dropped by dropping its records of the log). The thread need not be the request: what belongs to one is known by the descriptor.
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "simplify/messages.h"
#include "simplify/simplify.h"
#include "trace/peer_log.h"

namespace heddle::simplify {

// What a peer sent at a time, and what was done with it: reads up to the first write, and what followed until the next read. Where nobody was seen to write
// to a connection (a stream of the C library does it for itself), a request begins where messages do.
struct ReceivedRequest {
  size_t connection = 0;
  std::vector<uint32_t> calls;  // of the log
  std::vector<uint32_t> reads;  // those that received something
  uint64_t bytes = 0;           // received
  bool answered = false;        // something was written after it
};

struct Connection {
  PeerId peer = kNoPeer;
  bool accepted = false;         // otherwise the program made it or was given it
  ThreadId first = kNoThread;    // who used it first
  uint32_t of = kNoIndex;        // not accepted: the connection that the thread was busy with then
  std::vector<uint32_t> calls;   // of the log, that belong to none of its requests
  std::vector<size_t> requests;  // in order
};

// Which of them a run leaves out; and which messages of a request, by its index.
struct Dropped {
  std::vector<bool> connections, requests;
  std::map<size_t, std::vector<bool>> messages;
};

struct LeftOfRequest {
  uint64_t bytes = 0;
  std::string begins;  // with these
};

class Requests {
 public:
  explicit Requests(const Trace& recorded);

  // Does the log say whose bytes they were? If not, nothing of it can be left out.
  bool known() const { return known_; }
  const std::vector<Connection>& connections() const { return connections_; }
  const std::vector<ReceivedRequest>& requests() const { return requests_; }
  // Of what the thread did before the event; kNoIndex: nobody's.
  uint32_t connection_at(size_t event) const;
  uint32_t request_at(size_t event) const;

  std::vector<Message> messages(size_t request) const;
  LeftOfRequest left_of(size_t request, const Dropped& dropped) const;

  Dropped nothing() const;
  // The run without them: its log by peers, its schedule projected (relaxed), threads that were created for them passed over.
  Plan without(const Dropped& dropped, const Limits& limits) const;

 private:
  // To whom what a thread does belongs, from its own operation `number` on.
  struct Turn {
    uint32_t number;
    uint32_t connection, request;
    uint32_t call;  // that it began with
  };
  // What is left of calls of which messages are dropped; empty: nothing.
  using Cut = std::unordered_map<uint32_t, std::string>;
  void take_apart();
  void add_call(uint32_t call, const InputPeer& peer);
  void find_turns();
  Cut cut_by(const Dropped& dropped) const;
  std::vector<bool> threads_without(const Dropped& dropped, const Cut& cut, std::vector<bool>* events) const;
  InputLog log_without(const Dropped& dropped, const Cut& cut, const std::vector<bool>& gone, const std::vector<bool>& goes) const;
  std::vector<PeerId> hanging_up(const Dropped& dropped) const;
  bool drops(uint32_t connection, uint32_t request, const Dropped& dropped) const;
  std::unordered_map<PeerId, PeerId> renamed(const Dropped& dropped) const;
  const Turn* turn_at(const Event& event) const;

  const Trace recorded_;
  bool known_ = false;
  std::vector<Connection> connections_;
  std::vector<ReceivedRequest> requests_;
  std::unordered_map<PeerId, uint32_t> index_;                        // of connections
  std::unordered_set<PeerId> answered_;                               // somebody was seen to write to them
  std::unordered_map<ThreadId, std::pair<uint32_t, uint32_t>> busy_;  // with which connection and request: while they are taken apart
  std::vector<std::pair<uint32_t, uint32_t>> owner_;                  // of each call: connection and request, or kNoIndex
  std::vector<std::vector<Turn>> turns_;                              // by thread
};

struct RequestOptions {
  double seconds = 0;  // 0 = no limit
  size_t max_executions = 0;
  const std::atomic<bool>* stop = nullptr;
  Limits limits{0, 10'000};
  // By connection and by request: those on which the failure was seen to depend. Empty: nobody has looked.
  std::vector<bool> relevant_connections, relevant_requests;
  std::function<void(const std::string&)> progress;
};

struct RequestResult {
  Trace best;
  bool reduced = false;  // best is another run than the recorded one
  Dropped dropped;
  size_t executions = 0;
  double seconds = 0;
  bool finished = true;
  std::string why_not;  // where nothing could be tried
};

// First without everything but what the failing thread was busy with; then what else is needed is searched for, and of what is needed a 1-minimal part is
// kept: connections, then requests, then messages of one request. Every step has really run and really failed in the same way.
RequestResult reduce_requests(const Requests& requests, const Trace& failing, const std::function<bool(const Trace&)>& same_bug,
                              Executor& executor, const RequestOptions& options);

}  // namespace heddle::simplify
