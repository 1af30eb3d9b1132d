#include "simplify/requests.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "simplify/budget.h"
#include "simplify/minimise.h"
#include "simplify/schedule.h"

namespace heddle::simplify {

namespace {

constexpr size_t kShownBytes = 48;
constexpr size_t kSignalStepAt = 128;  // in the record of a signal (OutsideSignal of the runtime): behind its siginfo_t

// A signal comes after as many of the events that are left.
void move_signal(InputCall& call, const std::vector<bool>& goes) {
  uint64_t step = 0;
  if (call.bytes.size() < kSignalStepAt + sizeof step) return;
  std::memcpy(&step, call.bytes.data() + kSignalStepAt, sizeof step);
  const auto upto = goes.begin() + static_cast<std::ptrdiff_t>(std::min<uint64_t>(step, goes.size()));
  step = static_cast<uint64_t>(std::count(goes.begin(), upto, false));
  std::memcpy(call.bytes.data() + kSignalStepAt, &step, sizeof step);
  call.stamp = step;
}

bool is_wait(Op op) { return op == Op::kPoll || op == Op::kTimedPoll; }

// Calls on descriptors are the peer's, the rest the thread's own.
bool is_peers(const InputPeer& peer) { return peer.call != PeerCall::kNone && peer.call != PeerCall::kOwn; }

// Who sent it, and the like, lies before what was sent.
std::string beginning(const InputCall& call) {
  const size_t all = call.bytes.size() - sizeof(InputPeer);
  const size_t sent = std::min(all, static_cast<size_t>(std::max<int64_t>(call.result, 0)));
  std::string shown;
  for (char c : call.bytes.substr(all - sent, std::min(sent, kShownBytes))) {
    if (c == '\r' || c == '\n') break;
    shown += c >= ' ' && c <= '~' ? c : '.';
  }
  return shown;
}

}  // namespace

Requests::Requests(const Trace& recorded) : recorded_(recorded) {
  const auto& calls = recorded_.inputs().calls;
  owner_.assign(calls.size(), {kNoIndex, kNoIndex});
  known_ = recorded_.data().first == 0 && recorded_.inputs().lost == 0 &&
           std::any_of(calls.begin(), calls.end(), [](const InputCall& c) { return c.peer().has_value(); });
  if (!known_) return;
  take_apart();
  find_turns();
}

void Requests::take_apart() {
  const auto& calls = recorded_.inputs().calls;
  std::vector<std::pair<uint32_t, uint32_t>> in_order;
  for (uint32_t i = 0; i < calls.size(); ++i) {
    if (const auto peer = calls[i].peer()) in_order.emplace_back(peer->order, i);
  }
  std::sort(in_order.begin(), in_order.end());
  std::unordered_set<PeerId> listeners;
  for (const auto& [order, call] : in_order) {
    const InputPeer peer = *calls[call].peer();
    if (peer.call == PeerCall::kAccept) listeners.insert(peer.peer);
  }
  for (const auto& [order, call] : in_order) {
    const InputPeer peer = *calls[call].peer();
    if (is_peers(peer) && (peer.call == PeerCall::kAccept || !listeners.contains(peer.peer))) add_call(call, peer);
  }
}

void Requests::add_call(uint32_t call, const InputPeer& peer) {
  const InputCall& c = recorded_.inputs().calls[call];
  const PeerId whose = peer.call == PeerCall::kAccept ? peer.made : peer.peer;
  if (whose == kNoPeer) return;  // nobody had come
  const auto [at, fresh] = index_.try_emplace(whose, static_cast<uint32_t>(connections_.size()));
  const uint32_t index = at->second;
  auto busy = busy_.try_emplace(c.thread, kNoIndex, kNoIndex).first;
  if (fresh) {
    const bool accepted = (whose & kAcceptedPeer) != 0;
    connections_.push_back({whose, accepted, c.thread, accepted ? kNoIndex : busy->second.first, {}, {}});
  }
  Connection& connection = connections_[index];
  // What the program asks others for on behalf of a request belongs to that.
  if (connection.of != kNoIndex && busy->second.first == connection.of) {
    owner_[call] = busy->second;
    connection.calls.push_back(call);
    return;
  }
  const bool received = peer.call == PeerCall::kRead && c.result > 0;
  const bool ended = peer.call == PeerCall::kRead && c.result <= 0 && c.result != -EAGAIN;
  const bool answered = connection.requests.empty() || requests_[connection.requests.back()].answered;
  if (received && answered) {
    connection.requests.push_back(requests_.size());
    requests_.push_back({index, {}, 0, beginning(c), false});
  }
  // The end of a connection comes whatever was said before.
  if (ended || connection.requests.empty()) {
    connection.calls.push_back(call);
    owner_[call] = {index, kNoIndex};
  } else {
    ReceivedRequest& request = requests_[connection.requests.back()];
    request.calls.push_back(call);
    if (received) request.bytes += static_cast<uint64_t>(c.result);
    if (peer.call == PeerCall::kWrite) request.answered = true;
    owner_[call] = {index, static_cast<uint32_t>(connection.requests.back())};
  }
  busy->second = owner_[call];
}

void Requests::find_turns() {
  const auto& calls = recorded_.inputs().calls;
  turns_.resize(recorded_.threads().size());
  std::unordered_map<ThreadId, uint32_t> threads;
  for (uint32_t t = 0; t < recorded_.threads().size(); ++t) threads[recorded_.threads()[t].id] = t;
  for (uint32_t i = 0; i < calls.size(); ++i) {
    const auto peer = calls[i].peer();
    const auto thread = threads.find(calls[i].thread);
    if (!peer || thread == threads.end()) continue;
    auto [connection, request] = owner_[i];
    // A wait belongs to what it was ended by.
    uint32_t ended_by = i + 1;
    while (ended_by < calls.size() && (calls[ended_by].stamp & kLostWait) != 0) ++ended_by;
    if (is_wait(calls[i].op) && !is_peers(*peer) && ended_by < calls.size() && calls[ended_by].thread == calls[i].thread) {
      std::tie(connection, request) = owner_[ended_by];
    } else if (!is_peers(*peer)) {
      continue;
    }
    turns_[thread->second].push_back({peer->number, connection, request});
  }
}

const Requests::Turn* Requests::turn_at(const Event& event) const {
  const std::vector<Turn>& turns = turns_[event.thread];
  const auto after = std::upper_bound(turns.begin(), turns.end(), event.number, [](uint32_t n, const Turn& t) { return n < t.number; });
  return after == turns.begin() ? nullptr : &*(after - 1);
}

uint32_t Requests::connection_at(size_t event) const {
  const Turn* turn = turn_at(recorded_.events()[event]);
  return turn != nullptr ? turn->connection : kNoIndex;
}

uint32_t Requests::request_at(size_t event) const {
  const Turn* turn = turn_at(recorded_.events()[event]);
  return turn != nullptr ? turn->request : kNoIndex;
}

Dropped Requests::nothing() const { return {std::vector<bool>(connections_.size()), std::vector<bool>(requests_.size())}; }

bool Requests::drops(uint32_t connection, uint32_t request, const Dropped& dropped) const {
  if (connection != kNoIndex && dropped.connections[connection]) return true;
  return request != kNoIndex && dropped.requests[request];
}

// A thread's own descriptors are counted: those that it makes for what is left get other numbers.
std::unordered_map<PeerId, PeerId> Requests::renamed(const Dropped& dropped) const {
  std::unordered_map<ThreadId, std::pair<uint32_t, uint32_t>> counts;  // before, after
  std::unordered_map<PeerId, PeerId> names;
  for (const Connection& c : connections_) {
    if (c.accepted) continue;
    auto& [before, after] = counts[c.first];
    // Listeners, which are no connections, are counted, too.
    do {
      ++before, ++after;
    } while (own_descriptor(c.first, before) != c.peer && before < connections_.size() + 64);
    if (!c.calls.empty() && drops(owner_[c.calls.front()].first, owner_[c.calls.front()].second, dropped)) {
      --after;
    } else {
      names[c.peer] = own_descriptor(c.first, after);
    }
  }
  return names;
}

InputLog Requests::log_without(const Dropped& dropped, const std::vector<bool>& gone, const std::vector<bool>& goes) const {
  const InputLog& whole = recorded_.inputs();
  InputLog log;
  log.files = whole.files;
  log.by_peer = true;
  std::unordered_set<ThreadId> away;
  for (uint32_t t = 0; t < gone.size(); ++t) {
    if (gone[t]) away.insert(recorded_.threads()[t].id);
  }
  const auto names = renamed(dropped);
  std::vector<std::pair<uint32_t, uint32_t>> in_order;
  for (uint32_t i = 0; i < whole.calls.size(); ++i) {
    const InputCall& c = whole.calls[i];
    const auto peer = c.peer();
    if ((c.stamp & kLostWait) != 0) continue;  // in another schedule nobody takes it
    if (!peer) {
      log.calls.push_back(c);
      if (c.thread == kSignalInputs) move_signal(log.calls.back(), goes);
      continue;
    }
    const bool left_out = drops(owner_[i].first, owner_[i].second, dropped) || away.contains(c.thread);
    if (!left_out && !(is_wait(c.op) && !is_peers(*peer))) in_order.emplace_back(peer->order, i);
  }
  std::sort(in_order.begin(), in_order.end());
  std::unordered_map<ThreadId, uint32_t> count;
  std::unordered_map<ThreadId, bool> empty;  // the last one said that nothing had come: once is enough
  for (const auto& [order, i] : in_order) {
    InputCall c = whole.calls[i];
    const InputPeer peer = *c.peer();
    const auto name = names.find(peer.peer);
    const PeerId named = name != names.end() ? name->second : peer.peer;
    c.thread = is_peers(peer) ? peer_key(peer.call, named) : peer_key(PeerCall::kOwn, own_peer(c.thread, c.op));
    const bool nothing = is_peers(peer) && c.result == -EAGAIN;
    if (nothing && empty[c.thread]) continue;
    empty[c.thread] = nothing;
    c.ordinal = count[c.thread]++;
    log.calls.push_back(std::move(c));
  }
  sort_inputs(log);
  return log;
}

// The threads that are not created without them; and, by event, what goes.
std::vector<bool> Requests::threads_without(const Dropped& dropped, std::vector<bool>* goes) const {
  const auto events = recorded_.events();
  std::vector<bool> gone(recorded_.threads().size());
  goes->assign(events.size(), false);
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> children;
  for (uint32_t t = 1; t < recorded_.threads().size(); ++t) children[{recorded_.threads()[t].parent, recorded_.threads()[t].birth}] = t;
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    const Turn* turn = turn_at(e);
    (*goes)[i] = gone[e.thread] || (turn != nullptr && drops(turn->connection, turn->request, dropped));
    if (!(*goes)[i] || e.op != Op::kThreadCreate) continue;
    const auto child = children.find({e.thread, static_cast<uint32_t>(e.value)});
    if (child != children.end()) gone[child->second] = true;
  }
  return gone;
}

Plan Requests::without(const Dropped& dropped, const Limits& limits) const {
  const auto events = recorded_.events();
  std::vector<bool> goes;
  const std::vector<bool> gone = threads_without(dropped, &goes);
  Plan plan = plan_for({}, recorded_, limits);
  plan.choices.clear();
  std::vector<uint32_t> done(recorded_.threads().size());
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    const ThreadId thread = recorded_.thread_id(e);
    if (goes[i]) {
      if (e.op == Op::kThreadCreate && !gone[e.thread]) plan.pass_over(child_thread(thread, static_cast<uint32_t>(e.value)));
      continue;
    }
    const uint64_t number = ++done[e.thread];
    if (const auto choice = choice_of(recorded_, e)) plan.choices.push_back({thread, number, choice->value});
    if (!plan.slices.empty() && plan.slices.back().thread == thread) {
      plan.slices.back().until = number;
    } else {
      plan.slices.push_back({thread, number});
    }
  }
  plan.sort_choices();
  plan.inputs = std::make_shared<const InputLog>(log_without(dropped, gone, goes));
  return plan;
}

namespace {

class RequestReducer {
 public:
  RequestReducer(const Requests& requests, const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor,
                 const RequestOptions& options)
      : requests_(requests),
        failing_(failing),
        same_bug_(same_bug),
        executor_(executor),
        options_(options),
        budget_(options.max_executions, options.seconds, options.stop),
        limits_(run_limits(failing, options.limits)) {
    result_.best = failing;
    result_.dropped = requests.nothing();
  }

  RequestResult go() {
    if (!holds(requests_.nothing())) {
      result_.why_not = fmt_why();
      return finish();
    }
    try_relevant();
    minimise_connections();
    minimise_requests();
    result_.finished = !budget_.spent();
    return finish();
  }

 private:
  RequestResult finish() {
    result_.executions = budget_.executions();
    result_.seconds = budget_.elapsed();
    return std::move(result_);
  }

  std::string fmt_why() const {
    return "what was recorded does not lead to the same failure when it is sent again: " + last_.outcome().message;
  }

  // Runs it; the projected schedule first, then as the threads come.
  bool holds(const Dropped& dropped) {
    Plan plan = requests_.without(dropped, limits_);
    for (int attempt = 0; attempt < 2 && !budget_.spent(); ++attempt) {
      budget_.count();
      executor_.submit(plan);
      last_ = executor_.next();
      if (same_bug_(last_)) {
        result_.best = last_;
        result_.dropped = dropped;
        result_.reduced = true;
        tell();
        return true;
      }
      plan.slices.clear();
      plan.choices.clear();
    }
    return false;
  }

  void tell() const {
    if (!options_.progress) return;
    const auto left = [](const std::vector<bool>& d) { return static_cast<size_t>(std::count(d.begin(), d.end(), false)); };
    options_.progress("reduce: " + std::to_string(left(result_.dropped.connections)) + " of " +
                      std::to_string(requests_.connections().size()) + " connections, " + std::to_string(requests_left()) + " of " +
                      std::to_string(requests_.requests().size()) + " requests, " + std::to_string(result_.best.events().size()) +
                      " events, " + std::to_string(budget_.executions()) + " runs");
  }

  size_t requests_left() const {
    size_t left = 0;
    for (size_t r = 0; r < requests_.requests().size(); ++r)
      left += !result_.dropped.requests[r] && !result_.dropped.connections[requests_.requests()[r].connection] ? 1 : 0;
    return left;
  }

  // What the dependences say: everything else goes at once, where they are right.
  void try_relevant() {
    if (options_.relevant_connections.empty() || budget_.spent()) return;
    Dropped dropped = requests_.nothing();
    for (size_t c = 0; c < dropped.connections.size(); ++c)
      dropped.connections[c] = requests_.connections()[c].accepted && !options_.relevant_connections[c];
    for (size_t r = 0; r < dropped.requests.size() && r < options_.relevant_requests.size(); ++r)
      dropped.requests[r] = !options_.relevant_requests[r];
    holds(dropped);
  }

  // The later it was last heard of the more suspicious; first of all what the failing thread was busy with.
  std::vector<size_t> suspicion() const {
    std::vector<uint64_t> last(requests_.connections().size());
    for (size_t i = 0; i < failing_.events().size(); ++i) {
      const uint32_t c = requests_.connection_at(i);
      if (c != kNoIndex) last[c] = i + 1;
    }
    std::vector<size_t> order(last.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return last[a] > last[b]; });
    return order;
  }

  void minimise_connections() {
    Items items;
    for (size_t c : suspicion()) {
      if (requests_.connections()[c].accepted && !result_.dropped.connections[c]) items.push_back(c);
    }
    minimise_items(items, [](Dropped& dropped, size_t item) { dropped.connections[item] = true; });
  }

  void minimise_requests() {
    Items items;
    for (size_t r = requests_.requests().size(); r-- > 0;) {
      if (!result_.dropped.connections[requests_.requests()[r].connection] && !result_.dropped.requests[r]) items.push_back(r);
    }
    minimise_items(items, [](Dropped& dropped, size_t item) { dropped.requests[item] = true; });
  }

  // `items` in the order of suspicion.
  void minimise_items(const Items& items, const std::function<void(Dropped&, size_t)>& drop) {
    if (items.empty()) return;
    Items ranked(items.size());
    std::iota(ranked.begin(), ranked.end(), size_t{0});
    const MinimiseTest test{[&](const std::vector<Items>& drops) {
                              for (size_t d = 0; d < drops.size(); ++d) {
                                if (drops[d].empty()) return d;
                                Dropped dropped = result_.dropped;
                                for (size_t i : drops[d]) drop(dropped, items[i]);
                                if (budget_.spent()) break;
                                if (holds(dropped)) return d;
                              }
                              return kNoneRedundant;
                            },
                            [&] { return budget_.spent(); }};
    minimise({ranked, {}}, test);
  }

  const Requests& requests_;
  const Trace& failing_;
  const std::function<bool(const Trace&)>& same_bug_;
  Executor& executor_;
  const RequestOptions& options_;
  Budget budget_;
  Limits limits_;
  Trace last_;
  RequestResult result_;
};

}  // namespace

RequestResult reduce_requests(const Requests& requests, const Trace& failing, const std::function<bool(const Trace&)>& same_bug,
                              Executor& executor, const RequestOptions& options) {
  return RequestReducer(requests, failing, same_bug, executor, options).go();
}

}  // namespace heddle::simplify
