#include "simplify/requests.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <unordered_map>
#include <unordered_set>

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

// Shows more of it: false where the line, or the room, is at its end.
bool show(const std::string& bytes, std::string* shown) {
  for (char c : bytes) {
    if (c == '\r' || c == '\n' || shown->size() == kShownBytes) return false;
    *shown += c >= ' ' && c <= '~' ? c : '.';
  }
  return true;
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
    if (peer.call == PeerCall::kWrite) answered_.insert(peer.peer);
  }
  for (const auto& [order, call] : in_order) {
    const InputPeer peer = *calls[call].peer();
    if (is_peers_call(peer) && (peer.call == PeerCall::kAccept || !listeners.contains(peer.peer))) add_call(call, peer);
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
  const auto over = [&](const ReceivedRequest& last) {
    return last.answered || (!answered_.contains(whose) && begins_anew(recorded_.inputs().calls[last.reads.back()], c));
  };
  if (received && (connection.requests.empty() || over(requests_[connection.requests.back()]))) {
    connection.requests.push_back(requests_.size());
    requests_.push_back({index, {}, {}, 0, false});
  }
  // The end of a connection comes whatever was said before.
  if (ended || connection.requests.empty()) {
    connection.calls.push_back(call);
    owner_[call] = {index, kNoIndex};
  } else {
    ReceivedRequest& request = requests_[connection.requests.back()];
    request.calls.push_back(call);
    if (received) {
      request.reads.push_back(call);
      request.bytes += static_cast<uint64_t>(c.result);
    }
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
    if (is_wait_for_descriptors(calls[i].op) && !is_peers_call(*peer) && ended_by < calls.size() &&
        calls[ended_by].thread == calls[i].thread) {
      std::tie(connection, request) = owner_[ended_by];
    } else if (!is_peers_call(*peer)) {
      continue;
    }
    turns_[thread->second].push_back({peer->number, connection, request, is_peers_call(*peer) ? i : ended_by});
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

std::vector<Message> Requests::messages(size_t request) const { return messages_of(recorded_.inputs(), requests_[request].reads); }

LeftOfRequest Requests::left_of(size_t request, const Dropped& dropped) const {
  const auto gone = dropped.messages.find(request);
  const std::vector<Message> messages = this->messages(request);
  LeftOfRequest left;
  bool shows = true;
  for (size_t m = 0; m < messages.size(); ++m) {
    if (gone != dropped.messages.end() && gone->second[m]) continue;
    for (const CallPart& part : messages[m]) {
      left.bytes += part.to - part.from;
      shows = shows && show(bytes_of(recorded_.inputs().calls[part.call], part), &left.begins);
    }
  }
  return left;
}

Dropped Requests::nothing() const { return {std::vector<bool>(connections_.size()), std::vector<bool>(requests_.size()), {}}; }

Requests::Cut Requests::cut_by(const Dropped& dropped) const {
  Cut cut;
  for (const auto& [request, gone] : dropped.messages) {
    const std::vector<Message> messages = this->messages(request);
    for (size_t m = 0; m < messages.size(); ++m) {
      for (const CallPart& part : messages[m]) {
        if (gone[m]) cut.try_emplace(part.call);
      }
    }
    for (size_t m = 0; m < messages.size(); ++m) {
      for (const CallPart& part : messages[m]) {
        const auto at = cut.find(part.call);
        if (!gone[m] && at != cut.end()) at->second += bytes_of(recorded_.inputs().calls[part.call], part);
      }
    }
  }
  return cut;
}

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

// Whom the program asked, and who is left with less to say, hangs up after it: the program would wait for the rest.
std::vector<PeerId> Requests::hanging_up(const Dropped& dropped) const {
  std::vector<PeerId> gone;
  for (const Connection& c : connections_) {
    if (c.accepted) continue;
    const auto ends = [&](uint32_t i) {
      const InputCall& call = recorded_.inputs().calls[i];
      return call.peer()->call == PeerCall::kRead && call.result <= 0 && call.result != -EAGAIN;
    };
    const auto is_less = [&](size_t r) { return dropped.requests[r] || dropped.messages.contains(r); };
    const bool less = std::any_of(c.requests.begin(), c.requests.end(), is_less);
    if (less && std::none_of(c.calls.begin(), c.calls.end(), ends)) gone.push_back(c.peer);
  }
  return gone;
}

namespace {

// A run in which what led to the failure is missing would go on as long as it may, from one time-out to the next.
uint64_t patience_of(const Trace& recorded) {
  constexpr uint64_t kLeast = 1000;
  std::unordered_map<ThreadId, std::unordered_set<uint32_t>> heard;
  for (const InputCall& c : recorded.inputs().calls) {
    const auto peer = c.peer();
    if (peer && (peer->call == PeerCall::kRead || peer->call == PeerCall::kAccept) && c.result != -EAGAIN)
      heard[c.thread].insert(peer->number);
  }
  uint64_t longest = 0, last = 0, at = 0;
  std::vector<uint32_t> done(recorded.threads().size());
  for (const Event& e : recorded.events()) {
    ++at;
    const auto of = heard.find(recorded.thread_id(e));
    if (of == heard.end() || !of->second.contains(++done[e.thread])) continue;
    longest = std::max(longest, at - last);
    last = at;
  }
  return 2 * std::max(longest, at - last) + kLeast;
}

}  // namespace

InputLog Requests::log_without(const Dropped& dropped, const Cut& cut, const std::vector<bool>& gone, const std::vector<bool>& goes) const {
  const InputLog& whole = recorded_.inputs();
  PeerLog log(whole);
  std::unordered_set<ThreadId> away;
  for (uint32_t t = 0; t < gone.size(); ++t) {
    if (gone[t]) away.insert(recorded_.threads()[t].id);
  }
  const auto names = renamed(dropped);
  const auto named = [&](PeerId peer) {
    const auto name = names.find(peer);
    return name != names.end() ? name->second : peer;
  };
  std::vector<std::pair<uint32_t, uint32_t>> in_order;
  for (uint32_t i = 0; i < whole.calls.size(); ++i) {
    InputCall c = whole.calls[i];
    const auto peer = c.peer();
    if ((c.stamp & kLostWait) != 0) continue;  // in another schedule nobody takes it
    if (!peer) {
      if (c.thread == kSignalInputs) move_signal(c, goes);
      log.keep(std::move(c));
      continue;
    }
    const auto less = cut.find(i);
    const bool left_out =
        drops(owner_[i].first, owner_[i].second, dropped) || away.contains(c.thread) || (less != cut.end() && less->second.empty());
    if (!left_out && (is_peers_call(*peer) || !is_wait_for_descriptors(c.op))) in_order.emplace_back(peer->order, i);
  }
  std::sort(in_order.begin(), in_order.end());
  for (const auto& [order, i] : in_order) {
    InputCall c = whole.calls[i];
    if (const auto less = cut.find(i); less != cut.end()) {
      c.bytes = less->second + c.bytes.substr(c.bytes.size() - sizeof(InputPeer));
      c.result = static_cast<int64_t>(less->second.size());
    }
    log.add(std::move(c), named(whole.calls[i].peer()->peer));
  }
  for (PeerId peer : hanging_up(dropped)) log.hang_up(named(peer));
  constexpr uint32_t kPatienceOrdinal = 2;  // runtime/outside/input_log.cpp
  log.keep({kBranchInputs, kPatienceOrdinal, Op::kPoll, static_cast<int64_t>(patience_of(recorded_)), 0, {}});
  return log.take();
}

// The threads that are not created without them; and, by event, what goes.
std::vector<bool> Requests::threads_without(const Dropped& dropped, const Cut& cut, std::vector<bool>* goes) const {
  const auto events = recorded_.events();
  std::vector<bool> gone(recorded_.threads().size());
  goes->assign(events.size(), false);
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> children;
  for (uint32_t t = 1; t < recorded_.threads().size(); ++t) children[{recorded_.threads()[t].parent, recorded_.threads()[t].birth}] = t;
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    const Turn* turn = turn_at(e);
    (*goes)[i] = gone[e.thread] || (turn != nullptr && drops(turn->connection, turn->request, dropped));
    if (turn != nullptr && !cut.empty()) {
      const auto less = cut.find(turn->call);
      if (less != cut.end() && less->second.empty()) (*goes)[i] = true;
    }
    if (!(*goes)[i] || e.op != Op::kThreadCreate) continue;
    const auto child = children.find({e.thread, static_cast<uint32_t>(e.value)});
    if (child != children.end()) gone[child->second] = true;
  }
  return gone;
}

Plan Requests::without(const Dropped& dropped, const Limits& limits) const {
  const auto events = recorded_.events();
  std::vector<bool> goes;
  const Cut cut = cut_by(dropped);
  const std::vector<bool> gone = threads_without(dropped, cut, &goes);
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
  plan.inputs = std::make_shared<const InputLog>(log_without(dropped, cut, gone, goes));
  return plan;
}

}  // namespace heddle::simplify
