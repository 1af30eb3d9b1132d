// Statements that are alike, operations that are the same after an edit, and what is saved of them.
#include <gtest/gtest.h>

#include "store/replay_string.h"
#include "store/saved_anchors.h"
#include "trace/guarded.h"
#include "trace/reanchor.h"
#include "trace/similar_text.h"

namespace heddle::test {
namespace {

PlacedOperation operation(Op op, const std::string& object, const std::string& function, int line, const std::string& text,
                          const std::string& before = "", const std::string& after = "") {
  return {op, object, {function, "a.c", line, text, before, after}};
}

TEST(SimilarText, RenamingCostsLittleAndStructureMuch) {
  EXPECT_EQ(similarity("a = b + 1;", "a = b + 1;"), 1);
  EXPECT_EQ(similarity("a=b+1;", "a = b + 1;"), 1);
  EXPECT_GT(similarity("balance = balance - amount;", "total = total - amount;"), 0.75);
  EXPECT_LT(similarity("balance = balance - amount;", "return NULL;"), 0.5);
  EXPECT_LT(similarity("pthread_mutex_lock(&lock);", "for (int i = 0; i < 3; ++i) {"), 0.5);
  EXPECT_EQ(similarity("", ""), 1);
  EXPECT_EQ(similarity("", "x"), 0);
  EXPECT_EQ(similarity("\"unclosed", "\"unclosed\\"), similarity("\"unclosed\\", "\"unclosed"));
}

TEST(Reanchoring, LikenessSurvivesRenamesAndOtherKindsOfLock) {
  const PlacedOperation lock = operation(Op::kMutexLock, "lock", "add", 10, "pthread_mutex_lock(&lock);");
  EXPECT_EQ(likeness(lock, lock), 1);
  EXPECT_GT(likeness(lock, operation(Op::kMutexLock, "guard", "add", 14, "pthread_mutex_lock(&guard);")), 0.7);
  EXPECT_GT(likeness(lock, operation(Op::kRwWriteLock, "lock", "add", 10, "pthread_rwlock_wrlock(&lock);")), 0.55);
  EXPECT_EQ(likeness(lock, operation(Op::kMutexUnlock, "lock", "add", 10, "pthread_mutex_lock(&lock);")), 0);
  EXPECT_LT(likeness(lock, operation(Op::kMutexLock, "other", "elsewhere", 3, "std::lock_guard<std::mutex> hold(m);")), 0.55);
}

AnchoredEnding assertion(const std::string& message, const std::string& function = "main") {
  return {"assert", 0, message, {function, "a.c", 5, "assert(x);", "", ""}, {}};
}

TEST(SameEnding, KindPlaceAndText) {
  EXPECT_TRUE(same_ending(assertion("balance >= 0 (a.c:6, withdraw)"), assertion("balance >= 0 (a.c:19, take)")));
  EXPECT_TRUE(same_ending(assertion("balance >= 0 (a.c:6, f)"), assertion("total >= 0 (a.c:6, f)")));
  EXPECT_FALSE(same_ending(assertion("balance >= 0 (a.c:6, f)"), assertion("queue.empty() && !closed (a.c:6, f)")));
  AnchoredEnding deadlock{
      "deadlock", 0, "", {}, {operation(Op::kMutexLock, "a", "f", 3, "lock(&a);"), operation(Op::kMutexLock, "b", "g", 9, "lock(&b);")}};
  EXPECT_FALSE(same_ending(assertion("x (a.c:6, f)"), deadlock));
  EXPECT_TRUE(same_ending(deadlock, deadlock));
  AnchoredEnding other = deadlock;
  other.waits = {operation(Op::kSemWait, "slots", "h", 30, "sem_wait(&slots);")};
  EXPECT_FALSE(same_ending(deadlock, other));
  EXPECT_FALSE(same_ending({"exit", 1, "lost 3 updates", {}, {}}, {"exit", 2, "lost 3 updates", {}, {}}));
  EXPECT_TRUE(same_ending({"exit", 1, "lost 3 updates", {}, {}}, {"exit", 1, "lost 5 updates", {}, {}}));
}

TEST(GuardedLines, NamesThatOnlyOccurUnderALock) {
  GuardedLines lines;
  lines.held = {"const int seen = counter;", "counter = seen + 1;", "return balance_;"};
  lines.bare = {"printf(\"%d\", i);"};
  EXPECT_EQ(lines.guarded_names(), (std::vector<std::string>{"balance_", "counter"}));
  lines.bare.push_back("report(counter);");
  EXPECT_EQ(lines.guarded_names(), (std::vector<std::string>{"balance_"}));
}

TEST(GuardedLines, ClassesAndLocalsAreNoSharedNames) {
  GuardedLines lines;
  lines.held = {"log = Context::instance().text;", "job = std::move(jobs.front());"};
  lines.bare = {"std::function<void()> job;"};
  EXPECT_EQ(lines.guarded_names(), (std::vector<std::string>{"jobs", "log", "text"}));
}

TEST(GuardedLines, WhatAnotherRunUsesBareIsNotGuarded) {
  Anchors a;
  a.guarded = {"counter", "state"};
  GuardedLines more;
  more.bare = {"if (state == 0) return;"};
  forget_bare(a, more);
  EXPECT_EQ(a.guarded, std::vector<std::string>{"counter"});
}

TEST(GuardedLines, AnAccessOutsideIsNoticed) {
  Anchors before;
  before.held = {"counter = seen + 1;"};
  before.guarded = {"counter"};
  GuardedLines now;
  now.held = {"counter = seen + 1;"};
  EXPECT_EQ(no_longer_guarded(before, now), "");
  now.bare = {"counter = seen + 1;"};
  EXPECT_NE(no_longer_guarded(before, now), "");
  GuardedLines renamed;
  renamed.held = {"total = seen + 1;"};
  EXPECT_EQ(no_longer_guarded(before, renamed), "");
  EXPECT_NE(no_longer_guarded(before, {}), "");
}

Anchors some_anchors() {
  Anchors a;
  a.threads = {{"0", ""}, {"0.1", "add"}};
  a.operations = {operation(Op::kThreadStart, "", "", 0, ""),
                  operation(Op::kMutexLock, "lock", "add", 10, "pthread_mutex_lock(&lock);", "{", "++n;"),
                  operation(Op::kSemWait, "s", "elsewhere", 50, "sem_wait(&s);")};
  a.ends = {{1, true, {{1, 2}}, {{0, 1}}}, {0, false, {}, {}}};
  a.choices = {{1, {1, 1}, 1, 77}};
  a.sites = {1};
  a.held = {"++n;"};
  a.guarded = {"n"};
  a.ending = assertion("n == 2 (a.c:30, main)");
  a.points = PointKind::kRacy;
  a.preemptions = 1;
  return a;
}

void expect_same(const Anchors& a, const Anchors& b) {
  ASSERT_EQ(a.ends.size(), b.ends.size());
  EXPECT_EQ(a.ends[0].ready, b.ends[0].ready);
  EXPECT_EQ(a.operations[a.ends[0].after[0].operation], b.operations[b.ends[0].after[0].operation]);
  EXPECT_EQ(a.ends[0].after[0].time, b.ends[0].after[0].time);
  EXPECT_EQ(a.choices[0].value, b.choices[0].value);
  EXPECT_EQ(a.guarded, b.guarded);
  EXPECT_EQ(a.ending.message, b.ending.message);
  EXPECT_EQ(a.points, b.points);
}

TEST(SavedAnchors, ComeBackAndDamageIsNoticed) {
  const Anchors a = some_anchors();
  const std::string bytes = encode_anchors(a);
  const auto again = decode_anchors(bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->operations, a.operations);
  expect_same(a, *again);
  EXPECT_FALSE(decode_anchors(bytes.substr(0, bytes.size() - 1)));
  EXPECT_FALSE(decode_anchors(bytes + "x"));
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_FALSE(decode_anchors(damaged)) << i;
  }
}

TEST(SavedAnchors, StringsCarryThemAndOldStringsDoNot) {
  ReplayString r;
  r.build_id = "abcd";
  r.command = {"./prog"};
  r.kind = "assert";
  r.plan.slices = {{kMainThread, 4}};
  EXPECT_TRUE(encode_replay(r).starts_with("hd1:"));
  EXPECT_FALSE(decode_replay(encode_replay(r)).anchors);
  r.anchors = some_anchors();
  r.fails_if_output = "lost";
  r.expect_exit = -1;
  r.ctest_rule = "will-fail\n";
  r.find_executions = 17;
  const std::string text = encode_replay(r);
  EXPECT_TRUE(text.starts_with("hd2:"));
  const ReplayString again = decode_replay(text);
  ASSERT_TRUE(again.anchors);
  expect_same(*r.anchors, *again.anchors);
  EXPECT_EQ(again.anchors->operations.size(), 2u) << "what no anchor needs is left out";
  EXPECT_EQ(again.fails_if_output, r.fails_if_output);
  EXPECT_EQ(again.expect_exit, -1);
  EXPECT_EQ(again.ctest_rule, r.ctest_rule);
  EXPECT_EQ(again.find_executions, 17u);
}

}  // namespace
}  // namespace heddle::test
