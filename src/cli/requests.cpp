#include "cli/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "cli/session.h"
#include "simplify/requests.h"

namespace heddle::cli {

namespace {

size_t kept_of(const std::vector<bool>& dropped) { return static_cast<size_t>(std::count(dropped.begin(), dropped.end(), false)); }

// A connection matters if a thread that matters had to do with it.
std::vector<bool> relevant_connections(const Requests& requests, const Trace& failing, const std::vector<bool>& threads) {
  std::vector<bool> relevant(requests.connections().size());
  std::vector<bool> served(requests.connections().size());
  for (size_t i = 0; i < failing.events().size(); ++i) {
    const uint32_t c = requests.connection_at(i);
    if (c == kNoIndex) continue;
    const Event& e = failing.events()[i];
    // Whoever accepted it only handed it on, where another thread served it.
    const bool hands_on = e.op == Op::kAccept || e.op == Op::kThreadCreate;
    if (!hands_on) served[c] = true;
    if (!hands_on && threads[e.thread]) relevant[c] = true;
  }
  for (size_t c = 0; c < relevant.size(); ++c) relevant[c] = relevant[c] || !served[c];
  return relevant;
}

// A file that the run read and that was written since it began: what it held before is not known, and whoever wrote it would seem not to be needed.
std::string file_of_its_own(const InputLog& log) {
  uint64_t start = 0;  // the wall clock, in ns
  for (const InputCall& call : log.calls) {
    if (call.thread == kClockInputs && call.ordinal == 0 && call.bytes.size() >= sizeof start)
      std::memcpy(&start, call.bytes.data(), sizeof start);
  }
  for (const InputFile& file : log.files) {
    if (start != 0 && file.changed >= start) return file.path;
  }
  return {};
}

InputsLeft inputs_left(const Requests& requests, const Trace& failing, const RequestResult& result) {
  InputsLeft left;
  left.connections = {requests.connections().size(), kept_of(result.dropped.connections)};
  left.requests.before = requests.requests().size();
  left.calls = {failing.inputs().calls.size(), result.best.inputs().calls.size()};
  for (size_t r = 0; r < requests.requests().size(); ++r) {
    const ReceivedRequest& request = requests.requests()[r];
    if (result.dropped.requests[r] || result.dropped.connections[request.connection]) continue;
    ++left.requests.after;
    const LeftOfRequest kept = requests.left_of(r, result.dropped);
    left.kept.push_back({fmt::format("connection {}", request.connection + 1), r + 1, request.bytes, kept.bytes, kept.begins});
  }
  return left;
}

}  // namespace

RequestsLeft leave_out_requests(Campaign& campaign, const Trace& failing, const Dependences* dependences, double seconds,
                                uint64_t executions, Progress& progress) {
  RequestsLeft left;
  if (!failing.inputs().from_outside()) return left;
  const Requests requests(failing);
  if (!requests.known() || requests.connections().empty()) {
    left.why_not =
        failing.data().first != 0 ? "the beginning of the recording was not kept" : "the recording does not say whose bytes they were";
    if (requests.known()) left.why_not.clear();
    return left;
  }
  if (const std::string path = file_of_its_own(failing.inputs()); !path.empty()) {
    left.why_not = fmt::format("the run read {}, which was written while it ran: what it held before is not known", path);
    left.nothing_may_go = true;
    RequestResult all;
    all.best = failing;
    all.dropped = requests.nothing();
    left.inputs = inputs_left(requests, failing, all);
    return left;
  }
  RequestOptions options;
  options.seconds = seconds;
  options.max_executions = executions;
  options.stop = &stop_flag();
  options.limits.watchdog_ms = campaign.base().limits.watchdog_ms;
  options.progress = [&](const std::string& words) { progress.show(words); };
  if (dependences != nullptr && dependences->memory) {
    options.relevant_connections = relevant_connections(requests, failing, dependences->relevant);
    left.by_dependence = true;
  }
  RequestResult result;
  try {
    result = reduce_requests(
        requests, failing, [&](const Trace& trace) { return same_bug(failing, trace); }, campaign.pool(), options);
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::kInterrupted) throw;
    result.best = failing;
    result.dropped = requests.nothing();
    result.finished = false;
  }
  progress.clear();
  left.executions = result.executions;
  left.seconds = result.seconds;
  left.finished = result.finished;
  left.why_not = result.why_not;
  if (result.reduced && !stop_flag()) {
    const Confirmation confirmation = campaign.confirm(result.best);
    if (confirmation.believed) {
      left.best = result.best;
    } else {
      left.why_not = fmt::format("the shorter run does not replay: {}", confirmation.why_not);
      result.best = failing;
      result.dropped = requests.nothing();
    }
  }
  left.inputs = inputs_left(requests, failing, result);
  return left;
}

void tell_requests(const RequestsLeft& left, const Trace& failing, ReductionRecord& reduction) {
  reduction.inputs = left.inputs;
  reduction.no_inputs = left.why_not;
  reduction.threads.before = failing.counts().threads;
  reduction.log_events.before = failing.counts().events;
}

}  // namespace heddle::cli
