// A recorded log taken apart into connections and requests, and put together again without some of them.
#include "simplify/requests.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace heddle::test {
namespace {

constexpr PeerId kListener = 77;
constexpr PeerId kFirst = kAcceptedPeer | 1, kSecond = kAcceptedPeer | 2;

class Log {
 public:
  void call(ThreadId thread, Op op, PeerCall kind, PeerId peer, int64_t result, std::string bytes, uint32_t number, PeerId made = kNoPeer) {
    const InputPeer whose{peer, made, number, order_++, kind};
    bytes.append(reinterpret_cast<const char*>(&whose), sizeof whose);
    log_.calls.push_back({thread, ordinals_[thread]++, op, result, kHasPeer, std::move(bytes)});
  }
  InputLog take() {
    sort_inputs(log_);
    return std::move(log_);
  }

 private:
  InputLog log_;
  uint32_t order_ = 0;
  std::map<ThreadId, uint32_t> ordinals_;
};

Event event(uint32_t thread, uint32_t number, Op op, uint64_t value = 0) {
  Event e{};
  e.thread = thread;
  e.number = number;
  e.op = op;
  e.value = value;
  return e;
}

// Main accepts two connections and creates a thread for each; the first sends twice, the second once.
Trace two_connections() {
  const ThreadId one = child_thread(kMainThread, 1), two = child_thread(kMainThread, 2);
  Trace::Data data;
  data.threads.resize(3);
  data.threads[0].id = kMainThread;
  for (uint32_t t = 1; t <= 2; ++t) {
    data.threads[t].id = t == 1 ? one : two;
    data.threads[t].parent = 0;
    data.threads[t].birth = t;
  }
  for (const Event& e :
       {event(0, 1, Op::kThreadStart), event(0, 2, Op::kAccept), event(0, 3, Op::kThreadCreate, 1), event(1, 1, Op::kThreadStart),
        event(1, 2, Op::kRead), event(1, 3, Op::kWrite), event(0, 4, Op::kAccept), event(0, 5, Op::kThreadCreate, 2),
        event(1, 4, Op::kRead), event(1, 5, Op::kWrite), event(2, 1, Op::kThreadStart), event(2, 2, Op::kRead)})
    data.events.push_back(e);
  Log log;
  log.call(kMainThread, Op::kAccept, PeerCall::kAccept, kListener, 5, "", 2, kFirst);
  log.call(one, Op::kRead, PeerCall::kRead, kFirst, 5, "hello", 2);
  log.call(one, Op::kWrite, PeerCall::kWrite, kFirst, 2, "", 3);
  log.call(kMainThread, Op::kAccept, PeerCall::kAccept, kListener, 6, "", 4, kSecond);
  log.call(one, Op::kRead, PeerCall::kRead, kFirst, 5, "again", 4);
  log.call(one, Op::kWrite, PeerCall::kWrite, kFirst, 2, "", 5);
  log.call(two, Op::kRead, PeerCall::kRead, kSecond, 3, "bad", 2);
  data.inputs = std::make_shared<const InputLog>(log.take());
  return Trace(std::move(data));
}

TEST(Requests, AreToldApartByConnectionAndAnswer) {
  const Requests requests(two_connections());
  ASSERT_TRUE(requests.known());
  ASSERT_EQ(requests.connections().size(), 2u);
  ASSERT_EQ(requests.requests().size(), 3u);
  EXPECT_EQ(requests.left_of(0, requests.nothing()).begins, "hello");
  EXPECT_EQ(requests.left_of(1, requests.nothing()).begins, "again");
  EXPECT_EQ(requests.requests()[1].connection, 0u);
  EXPECT_EQ(requests.left_of(2, requests.nothing()).begins, "bad");
}

TEST(Requests, WithoutAConnectionItsThreadIsPassedOver) {
  const Requests requests(two_connections());
  Dropped dropped = requests.nothing();
  dropped.connections[0] = true;
  const Plan plan = requests.without(dropped, {1000, 1000});
  ASSERT_EQ(plan.skips.size(), 1u);
  EXPECT_EQ(plan.skips[0].kind, SkipKind::kBirth);
  EXPECT_EQ(plan.skips[0].thread, child_thread(kMainThread, 1));
  // Main starts, accepts and creates; then the second thread runs, under the name that it had.
  ASSERT_EQ(plan.slices.size(), 2u);
  EXPECT_EQ(plan.slices[0].thread, kMainThread);
  EXPECT_EQ(plan.slices[0].until, 3u);
  EXPECT_EQ(plan.slices[1].thread, child_thread(kMainThread, 2));
  ASSERT_TRUE(plan.inputs->by_peer);
  // What is kept of the peers, and how long a run waits for them.
  std::vector<ThreadId> said;
  for (const InputCall& call : plan.inputs->calls) {
    if (call.thread == kBranchInputs) continue;
    said.push_back(call.thread);
    EXPECT_EQ(call.ordinal, 0u);
  }
  EXPECT_EQ(said, (std::vector<ThreadId>{peer_key(PeerCall::kRead, kSecond), peer_key(PeerCall::kAccept, kListener)}));
  EXPECT_EQ(plan.inputs->calls.size(), said.size() + 1);
}

TEST(Requests, WithoutARequestTheNextOneComesFirst) {
  const Requests requests(two_connections());
  Dropped dropped = requests.nothing();
  dropped.requests[0] = true;
  const Plan plan = requests.without(dropped, {1000, 1000});
  EXPECT_TRUE(plan.skips.empty());
  ASSERT_FALSE(plan.inputs->calls.empty());
  const InputCall& first = plan.inputs->calls[0];
  EXPECT_EQ(first.thread, peer_key(PeerCall::kRead, kFirst));
  EXPECT_EQ(first.bytes.substr(0, 5), "again");
  EXPECT_EQ(first.ordinal, 0u);
}

// One connection; each call is a read by its only thread with what it gave and the thread's operation.
Trace one_reader(const std::vector<std::pair<std::string, uint32_t>>& reads, PeerId peer, bool writes) {
  Trace::Data data;
  data.threads.resize(1);
  data.threads[0].id = kMainThread;
  Log log;
  uint32_t last = 0;
  for (const auto& [bytes, number] : reads) {
    while (last < number) data.events.push_back(event(0, ++last, Op::kRead));
    log.call(kMainThread, Op::kRead, PeerCall::kRead, peer, static_cast<int64_t>(bytes.size()), bytes, number);
  }
  if (writes) log.call(kMainThread, Op::kWrite, PeerCall::kWrite, peer, 1, "", last + 1);
  data.events.push_back(event(0, last + 1, Op::kWrite));
  data.inputs = std::make_shared<const InputLog>(log.take());
  return Trace(std::move(data));
}

std::vector<std::string> reads_left(const Requests& requests, const Dropped& dropped) {
  std::vector<std::string> left;
  const Plan plan = requests.without(dropped, {1000, 1000});
  for (const InputCall& call : plan.inputs->calls) {
    if (call.op == Op::kRead) left.push_back(call.bytes.substr(0, static_cast<size_t>(call.result)));
  }
  return left;
}

TEST(Requests, WhoseAnswersAreNotSeenBeginWithAMessage) {
  // A line byte by byte, one that a lock parts from the next, and half of one.
  const Requests requests(one_reader({{"a", 1}, {"\n", 2}, {"b\n", 3}, {"c", 5}, {"d", 6}, {"e", 8}}, kFirst, false));
  ASSERT_EQ(requests.requests().size(), 4u);
  EXPECT_EQ(requests.left_of(0, requests.nothing()).begins, "a");
  EXPECT_EQ(requests.left_of(2, requests.nothing()).begins, "cd");
}

TEST(Requests, LinesOfOneRequestCanBeLeftOut) {
  const Requests requests(one_reader({{"one\ntw", 1}, {"o\nthree\nfo", 2}, {"ur\n", 3}}, kFirst, true));
  ASSERT_EQ(requests.requests().size(), 1u);
  ASSERT_EQ(requests.messages(0).size(), 4u);
  Dropped dropped = requests.nothing();
  dropped.messages[0] = {true, false, true, false};
  EXPECT_EQ(reads_left(requests, dropped), (std::vector<std::string>{"tw", "o\nfo", "ur\n"}));
  EXPECT_EQ(requests.left_of(0, dropped).bytes, 9u);
  EXPECT_EQ(requests.left_of(0, dropped).begins, "two");
  dropped.messages[0] = {true, true, true, false};
  EXPECT_EQ(reads_left(requests, dropped), (std::vector<std::string>{"fo", "ur\n"}));
  const Plan plan = requests.without(dropped, {1000, 1000});
  ASSERT_EQ(plan.slices.size(), 1u);
  EXPECT_EQ(plan.slices[0].until, 3u) << "the first read gives nothing any more";
}

TEST(Requests, WhatIsNoTextIsCutBetweenReads) {
  const std::string size("\0\4", 2);
  const Requests requests(one_reader({{size, 1}, {"\1abc", 2}, {size, 5}, {"\2def", 6}}, kFirst, true));
  ASSERT_EQ(requests.messages(0).size(), 2u);
  Dropped dropped = requests.nothing();
  dropped.messages[0] = {true, false};
  EXPECT_EQ(reads_left(requests, dropped), (std::vector<std::string>{size, "\2def"}));
}

TEST(Requests, WhomTheProgramAskedHangsUpAfterLess) {
  const PeerId asked = own_descriptor(kMainThread, 1);
  const Requests requests(one_reader({{"a\n", 1}, {"b\n", 2}}, asked, true));
  Dropped dropped = requests.nothing();
  EXPECT_EQ(reads_left(requests, dropped), (std::vector<std::string>{"a\n", "b\n"}));
  dropped.messages[0] = {true, false};
  EXPECT_EQ(reads_left(requests, dropped), (std::vector<std::string>{"b\n", ""}));
}

TEST(Requests, OfAnOlderRecordingAreNotKnown) {
  Trace::Data data = two_connections().data();
  InputLog log = *data.inputs;
  for (InputCall& call : log.calls) call.stamp = 0;
  data.inputs = std::make_shared<const InputLog>(std::move(log));
  EXPECT_FALSE(Requests(Trace(std::move(data))).known());
}

}  // namespace
}  // namespace heddle::test
