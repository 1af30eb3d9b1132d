// How CTest judges a run: its expressions, codes and what it expects to fail; its changes of the environment.
#include <gtest/gtest.h>

#include <cstdlib>

#include "exec/ctest_judge.h"
#include "exec/judge.h"
#include "suite/ctest_environment.h"
#include "trace/ctest_rule.h"
#include "trace/error.h"

namespace heddle::test {
namespace {

using Said = CTestJudge::Said;

CTestRule some_rule() {
  CTestRule rule;
  rule.passes = {"all [0-9]+ done", "back\\\\slash\nand line"};
  rule.fails = {"error"};
  rule.skips = {"no device"};
  rule.skip_code = -3;
  rule.will_fail = true;
  return rule;
}

TEST(CTestRuleTest, ComesBackAsItWas) {
  EXPECT_EQ(ctest_rule_of(ctest_rule_text(some_rule())), some_rule());
  EXPECT_FALSE(ctest_rule_of("").any());
  EXPECT_THROW(ctest_rule_of("will-succeed\n"), Error);
  EXPECT_THROW(ctest_rule_of("skip-code many\n"), Error);
}

Said said(const CTestRule& rule, int code, const std::string& out, const std::string& err = "") {
  return CTestJudge(rule).answer(code, {out, err}).said;
}

TEST(CTestRuleTest, AnExpressionThatMustMatchMakesTheCodeIrrelevant) {
  CTestRule rule;
  rule.passes = {"never", "all [0-9]+ done"};
  EXPECT_EQ(said(rule, 0, "all 12 done\n"), Said::kPassed);
  EXPECT_EQ(said(rule, 7, "", "all 12 done\n"), Said::kPassed);
  EXPECT_EQ(said(rule, 0, "all done\n"), Said::kFailed);
  rule.fails = {"lost"};
  EXPECT_EQ(said(rule, 0, "all 12 done\nlost one\n"), Said::kFailed);
}

TEST(CTestRuleTest, WhatIsExpectedToFail) {
  CTestRule rule;
  rule.will_fail = true;
  EXPECT_EQ(said(rule, 1, ""), Said::kPassed);
  EXPECT_EQ(said(rule, 0, ""), Said::kFailed);
  rule.fails = {"error"};
  EXPECT_EQ(said(rule, 0, "error\n"), Said::kPassed);
  rule.skip_code = 77;
  EXPECT_EQ(said(rule, 77, ""), Said::kSkipped);
  rule.skips = {"no device"};
  EXPECT_EQ(said(rule, 0, "no device here"), Said::kSkipped);
}

// CMake's expressions: the whole output is one text, braces are themselves, and so is what follows a backslash.
TEST(CTestRuleTest, ExpressionsAreThoseOfCMake) {
  const auto matches = [](const std::string& expression, const std::string& output) {
    CTestRule rule;
    rule.passes = {expression};
    return said(rule, 0, output) == Said::kPassed;
  };
  EXPECT_TRUE(matches("begin.*end", "begin\nmiddle\nend\n"));
  EXPECT_TRUE(matches("^begin", "begin\n"));
  EXPECT_FALSE(matches("^middle", "begin\nmiddle\n"));
  EXPECT_TRUE(matches("{1}", "a{1}"));
  EXPECT_FALSE(matches("a{2}", "aa"));
  EXPECT_TRUE(matches("a\\.b", "a.b"));
  EXPECT_FALSE(matches("a\\.b", "axb"));
  EXPECT_TRUE(matches("\\w", "w"));
  EXPECT_FALSE(matches("\\w", "x"));
  EXPECT_TRUE(matches("[]{}]+$", "]}"));
  EXPECT_TRUE(matches("one|two", "two"));
  EXPECT_TRUE(matches("after", std::string("zero\0after", 10)));
  EXPECT_TRUE(matches("(a|b)*c", std::string(200'000, 'a') + "c"));
  EXPECT_THROW(CTestJudge(ctest_rule_of("pass (")), Error);
}

TEST(CTestRuleTest, AJudgeUsesIt) {
  Predicates predicates;
  predicates.ctest_rule = "will-fail\n";
  const Judge judge(predicates);
  Outcome outcome;
  outcome.kind = OutcomeKind::kExit;
  outcome.code = 3;
  EXPECT_FALSE(judge.fails(judge.refine(outcome, {})));
  outcome.code = 0;
  EXPECT_EQ(judge.refine(outcome, {}).kind, OutcomeKind::kOutput);
  outcome.kind = OutcomeKind::kDeadlock;
  EXPECT_EQ(judge.refine(outcome, {}).kind, OutcomeKind::kDeadlock) << "CTest does not excuse a crash or a hang";
}

TEST(CTestEnvironmentTest, ChangesComeOneAfterTheOther) {
  ::setenv("HEDDLE_TEST_OWN", "own", 1);
  ::unsetenv("HEDDLE_TEST_NONE");
  using List = std::vector<std::string>;
  EXPECT_EQ(modified_environment({"A=1"}, {"A=string_append:2", "A=string_prepend:0"}), List{"A=012"});
  EXPECT_EQ(modified_environment({}, {"HEDDLE_TEST_OWN=path_list_prepend:/x"}), List{"HEDDLE_TEST_OWN=/x:own"});
  EXPECT_EQ(modified_environment({}, {"HEDDLE_TEST_NONE=path_list_append:/x"}), List{"HEDDLE_TEST_NONE=/x"});
  EXPECT_EQ(modified_environment({"A=1"}, {"A=cmake_list_append:2", "B=set:a=b:c"}), (List{"A=1;2", "B=a=b:c"}));
  EXPECT_EQ(modified_environment({"A=1", "HEDDLE_TEST_OWN=x"}, {"A=unset:", "HEDDLE_TEST_OWN=reset:"}), (List{"A", "HEDDLE_TEST_OWN=own"}));
  EXPECT_THROW(modified_environment({}, {"A=double:2"}), Error);
  EXPECT_THROW(modified_environment({}, {"A"}), Error);
}

}  // namespace
}  // namespace heddle::test
