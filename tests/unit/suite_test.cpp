// Suites of tests: who is listed, how a budget is dealt out, what shards add up to.
#include <gtest/gtest.h>

#include <set>

#include "suite/ctest.h"
#include "suite/dealer.h"
#include "suite/framework.h"
#include "suite/merge.h"
#include "suite/result.h"
#include "suite/shard.h"
#include "trace/error.h"

using namespace heddle;
using namespace heddle::suite;

TEST(SuiteNames, GoogleTest) {
  const std::string listing =
      "Running main() from gtest_main.cc\nQueue.\n  Drains\n  DISABLED_Fills\nSome/Sized.\n  Works/0  # GetParam() = 1\n"
      "Typed/0.  # TypeParam = int\n  Copies\nDISABLED_All.\n  Off\n";
  EXPECT_EQ(gtest_names(listing), (std::vector<std::string>{"Queue.Drains", "Some/Sized.Works/0", "Typed/0.Copies"}));
}

TEST(SuiteNames, Catch2AndDoctest) {
  EXPECT_EQ(catch_names("takes, and gives\nScenario: a [tag]\n"), (std::vector<std::string>{"takes, and gives", "Scenario: a [tag]"}));
  const std::string xml =
      "<doctest>\n  <TestCase name=\"a &lt;b&gt; &amp; c\" filename=\"t.cpp\" line=\"3\"/>\n  <TestCase name=\"off\" skipped=\"true\"/>\n";
  EXPECT_EQ(doctest_names(xml), std::vector<std::string>{"a <b> & c"});
}

TEST(SuiteNames, WhatFailedInARunOfTheWhole) {
  const std::string google =
      "[ RUN      ] A.Good\n[       OK ] A.Good (0 ms)\n[ RUN      ] A/B.Bad/1\nt.cpp:3: Failure\n"
      "[  FAILED  ] A/B.Bad/1, where GetParam() = 2 (1 ms)\n";
  EXPECT_EQ(failed_tests("GoogleTest", google), std::vector<std::string>{"A/B.Bad/1"});
  EXPECT_EQ(failed_tests("GoogleTest", "[ RUN      ] A.Good\n[       OK ] A.Good (0 ms)\n[ RUN      ] A.Hangs\n"),
            std::vector<std::string>{"A.Hangs"});
  EXPECT_TRUE(failed_tests("GoogleTest", "[ RUN      ] A.Good\n[       OK ] A.Good (0 ms)\n").empty());
  const std::string rule(79, '-');
  const std::string catch2 =
      rule + "\ntakes, and gives\n  a section\n" + rule + "\nt.cpp:7\n" + std::string(79, '.') + "\n\nt.cpp:8: FAILED:\n";
  EXPECT_EQ(failed_tests("Catch2", catch2).front(), "takes, and gives");
  EXPECT_EQ(failed_tests("doctest", "t.cpp:3:\nTEST CASE:  a <b>\n\nt.cpp:5: ERROR: CHECK( x ) is NOT correct!\n"),
            std::vector<std::string>{"a <b>"});
}

TEST(SuiteNames, AFilterOfTheUsersOwnIsSeen) {
  EXPECT_TRUE(has_filter("GoogleTest", {"./t", "--gtest_filter=A.*"}));
  EXPECT_FALSE(has_filter("GoogleTest", {"./t", "--gtest_shuffle", "word"}));
  EXPECT_TRUE(has_filter("Catch2", {"./t", "a name"}));
  EXPECT_TRUE(has_filter("doctest", {"./t", "-tc=a"}));
}

TEST(SuiteCTest, TakesWhatChangesARun) {
  const TestList list = read_ctest(R"({"kind":"ctestInfo","tests":[
    {"name":"db","command":["/bin/db","up"],"properties":[{"name":"FIXTURES_SETUP","value":["DB"]}]},
    {"name":"drop","command":["/bin/db","down"],"properties":[{"name":"FIXTURES_CLEANUP","value":["DB"]}]},
    {"name":"query","command":["/bin/query"],"properties":[{"name":"FIXTURES_REQUIRED","value":["DB"]},
      {"name":"ENVIRONMENT","value":["A=1","B=2"]},{"name":"WORKING_DIRECTORY","value":"/tmp"},{"name":"TIMEOUT","value":7.5},
      {"name":"LABELS","value":["slow"]},{"name":"SKIP_RETURN_CODE","value":77}]},
    {"name":"unbuilt"},
    {"name":"odd","command":["/bin/odd"],"properties":[{"name":"WILL_FAIL","value":true}]}]})");
  ASSERT_EQ(list.cases.size(), 3u);
  const TestCase& query = list.cases[0];
  EXPECT_EQ(query.name, "query");
  EXPECT_EQ(query.environment, (std::vector<std::string>{"A=1", "B=2"}));
  EXPECT_EQ(query.directory, "/tmp");
  EXPECT_EQ(query.timeout, 7.5);
  EXPECT_EQ(query.rule.skip_code, 77);
  EXPECT_EQ(list.cases[1].cannot, "its program is not built");
  EXPECT_TRUE(list.cases[2].rule.will_fail);
  EXPECT_EQ(list.cases[2].cannot, "");
  ASSERT_EQ(list.fixtures.size(), 1u);
  EXPECT_EQ(list.fixtures[0].setup.at(0).name, "db");
  EXPECT_EQ(list.fixtures[0].cleanup.at(0).name, "drop");
  EXPECT_THROW(read_ctest("{}"), Error);
  EXPECT_THROW(read_ctest("not json"), Error);
}

TEST(SuiteCTest, WhatSetsAFixtureUpRunsOnce) {
  const TestList list = read_ctest(R"({"kind":"ctestInfo","tests":[
    {"name":"db","command":["/bin/db","up"],"properties":[{"name":"FIXTURES_SETUP","value":["DB"]}]},
    {"name":"first","command":["/bin/first"]},
    {"name":"query","command":["/bin/query"],"properties":[{"name":"DEPENDS","value":["db","first"]},{"name":"FIXTURES_REQUIRED","value":["DB"]}]}]})");
  ASSERT_EQ(list.cases.size(), 2u);
  EXPECT_EQ(list.cases[1].fixtures.size(), 2u);  // DB, and after `first`
  size_t setups = 0;
  for (const Fixture& fixture : list.fixtures) setups += fixture.setup.size();
  EXPECT_EQ(setups, 2u);
}

TEST(SuiteDealer, EveryTestOnceBeforeAnyTwice) {
  Dealer dealer({{false, false}, {false, true}, {true, false}}, 0);
  std::vector<size_t> order;
  for (int i = 0; i < 3; ++i) {
    const auto dealt = dealer.next();
    order.push_back(dealt->test);
    dealer.report(*dealt, {dealt->executions, 1.0, 0, false});
  }
  EXPECT_EQ(order, (std::vector<size_t>{2, 1, 0}));  // the known bug, the new build, the rest
}

TEST(SuiteDealer, WhatWasNotReachedForLongestIsFirstAmongItsLike) {
  Dealer dealer({{false, false, 1}, {false, false, 2}, {false, true}, {false, true, 1}, {true, false}}, 0);
  std::vector<size_t> order;
  for (int i = 0; i < 5; ++i) {
    const auto dealt = dealer.next();
    order.push_back(dealt->test);
    dealer.report(*dealt, {dealt->executions, 1.0, 0, false});
  }
  EXPECT_EQ(order, (std::vector<size_t>{4, 3, 2, 1, 0}));
}

TEST(SuiteResult, IsInconclusiveWhereTestsWereNotReached) {
  SuiteResult result;
  result.tests.resize(2);
  result.tests[0].verdict = TestVerdict::kPassed;
  EXPECT_STREQ(result.verdict(), "none");  // the other cannot be tested
  result.tests[1].missed = 1;
  EXPECT_EQ(result.not_reached(), 1u);
  EXPECT_STREQ(result.verdict(), "inconclusive");
  result.partial = true;
  EXPECT_STREQ(result.verdict(), "none");
  result.tests[0].verdict = TestVerdict::kFailure;
  EXPECT_STREQ(result.verdict(), "failure");
}

TEST(SuiteDealer, MoreForWhatShowsNewBehaviour) {
  Dealer dealer({{}, {}}, 0);
  for (int i = 0; i < 2; ++i) {
    const auto dealt = dealer.next();
    dealer.report(*dealt, {dealt->executions, 1.0, dealt->test == 1 ? 50u : 0u, false});
  }
  const auto next = dealer.next();
  EXPECT_EQ(next->test, 1u);
  EXPECT_EQ(next->slice, 1u);
  // The time that it had weighs against it: the other's turn comes.
  std::set<size_t> seen;
  for (int i = 0; i < 200; ++i) {
    const auto dealt = dealer.next();
    seen.insert(dealt->test);
    dealer.report(*dealt, {dealt->executions, 1.0, dealt->test == 1 ? 50u : 0u, false});
  }
  EXPECT_EQ(seen.size(), 2u);
}

TEST(SuiteDealer, WhatWasCutShortHasAnotherTurnAfterTheOthers) {
  Dealer dealer({{}, {}}, 0);
  dealer.report(*dealer.next(), {0, 5.0, 0, false, true});
  dealer.report(*dealer.next(), {64, 1.0, 0, true});
  const auto again = dealer.next();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->test, 0u);
  dealer.report(*again, {0, 9.0, 0, false});
  EXPECT_FALSE(dealer.next());
}

TEST(SuiteDealer, ABudgetOfRunsIsOneSliceEach) {
  Dealer dealer({{}, {}, {}}, 40);
  for (int i = 0; i < 3; ++i) {
    const auto dealt = dealer.next();
    EXPECT_EQ(dealt->executions, 40u);
    dealer.report(*dealt, {40, 0.1, 5, false});
  }
  EXPECT_FALSE(dealer.next());
}

TEST(SuiteShards, AddUpAndKnowNothingOfEachOther) {
  uint64_t sum = 0;
  std::set<uint64_t> seeds;
  size_t owners = 0;
  for (uint32_t i = 1; i <= 7; ++i) {
    const Shard shard = shard_of(std::to_string(i) + "/7");
    sum += shard.share(1000);
    seeds.insert(shard.seed(3));
    owners += shard.has(12) ? 1 : 0;
  }
  EXPECT_EQ(sum, 1000u);
  EXPECT_EQ(seeds.size(), 7u);
  EXPECT_EQ(owners, 1u);
  EXPECT_EQ(shard_of("1/1").seed(3), 3u);
  for (const char* bad : {"", "0/3", "4/3", "1", "1/", "/2", "1/2/3", "a/b", "-1/2", "1/999999"}) EXPECT_THROW(shard_of(bad), Error) << bad;
}

namespace {

ShardResult part(uint32_t index, uint32_t count, std::vector<TestResult> tests) {
  SuiteResult result;
  result.subject = "./t";
  result.build = "b";
  result.shard = {index, count};
  result.tests = std::move(tests);
  return {"dir" + std::to_string(index), result};
}

TestResult outcome(const std::string& name, TestVerdict verdict, uint64_t executions, const std::string& bug = "") {
  TestResult test;
  test.name = name;
  test.verdict = verdict;
  test.executions = executions;
  test.bug = bug;
  return test;
}

}  // namespace

TEST(SuiteMerge, TheOrderOfShardsDoesNotMatter) {
  const ShardResult a = part(1, 3, {outcome("x", TestVerdict::kPassed, 10), outcome("y", TestVerdict::kFailure, 2, "b/1")});
  const ShardResult b = part(3, 3, {outcome("x", TestVerdict::kFailure, 5, "b/2"), outcome("z", TestVerdict::kNoThreads, 1)});
  const Merged one = merge({a, b}), other = merge({b, a});
  ASSERT_EQ(one.whole.tests.size(), 3u);
  EXPECT_EQ(one.missing, std::vector<uint32_t>{2});
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(one.whole.tests[i].name, other.whole.tests[i].name);
    EXPECT_EQ(one.whole.tests[i].bug, other.whole.tests[i].bug);
    EXPECT_EQ(one.whole.tests[i].verdict, other.whole.tests[i].verdict);
  }
  EXPECT_EQ(one.whole.tests[0].executions, 15u);
  EXPECT_EQ(one.whole.tests[0].verdict, TestVerdict::kFailure);
  EXPECT_EQ(one.whole.tests[0].bug, "b/2");
}

TEST(SuiteMerge, FailsAlwaysInOneShardAndPassesInAnotherIsAFailure) {
  const Merged merged =
      merge({part(1, 2, {outcome("x", TestVerdict::kFailsAlways, 1, "b/1")}), part(2, 2, {outcome("x", TestVerdict::kPassed, 9)})});
  EXPECT_EQ(merged.whole.tests[0].verdict, TestVerdict::kFailure);
  EXPECT_EQ(merged.whole.tests[0].bug, "b/1");
}

TEST(SuiteMerge, RefusesWhatDoesNotBelongTogether) {
  const ShardResult first = part(1, 2, {});
  EXPECT_THROW(merge({}), Error);
  EXPECT_THROW(merge({first, first}), Error);
  ShardResult other = part(2, 2, {});
  other.result.seed = 9;
  EXPECT_THROW(merge({first, other}), Error);
  other = part(2, 2, {});
  other.result.build = "c";
  EXPECT_THROW(merge({first, other}), Error);
  other = part(2, 5, {});
  EXPECT_THROW(merge({first, other}), Error);
}

TEST(SuiteBaseline, OnlyNewFailuresCount) {
  SuiteResult before, now;
  before.tests = {outcome("x", TestVerdict::kFailure, 1), outcome("y", TestVerdict::kPassed, 1)};
  before.tests[0].signature = "s";
  now.tests = {outcome("x", TestVerdict::kFailure, 1), outcome("y", TestVerdict::kFailure, 1)};
  now.tests[0].signature = "s";
  EXPECT_EQ(now.news(), 2u);
  expect_baseline(now, before);
  EXPECT_EQ(now.news(), 1u);
  now.tests[0].signature = "another";
  now.tests[0].expected = false;
  expect_baseline(now, before);
  EXPECT_EQ(now.news(), 2u);  // the same test fails in another way
}
