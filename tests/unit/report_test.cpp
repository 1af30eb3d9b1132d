// The story of runs of toy programs: the class, the tested claim, and what hostile texts become in each output.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "report/chrome_trace.h"
#include "report/columns.h"
#include "report/diagnosis.h"
#include "report/evidence.h"
#include "report/html.h"
#include "report/junit.h"
#include "report/sarif.h"
#include "report/text.h"
#include "simplify/causality.h"
#include "store/replay_string.h"
#include "store/saved_cause.h"
#include "toy/toy.h"
#include "trace/error.h"
#include "trace/executor.h"

namespace heddle::test {
namespace {

ThreadId child(uint32_t n) { return child_thread(kMainThread, n); }

// Each of two threads looks at the balance and then takes what it saw.
toy::Program withdrawals() {
  toy::Program p;
  const std::vector<toy::Step> customer = {
      toy::load(1, 0),
      toy::write(1, [](toy::Run& run) { run.vars[1] -= run.reg(0) >= 80 ? 80 : 0; }),
      toy::check(
          1, [](const toy::Run& run) { return run.vars.at(1) >= 0; }, "balance >= 0 (bank.c:6, void withdraw(int))"),
  };
  p.bodies = {{toy::store(1, 100), toy::create(1), toy::create(2), toy::join(1), toy::join(2)}, customer, customer};
  p.code = {0, 1, 1};
  return p;
}

Trace failing_withdrawals(const toy::Program& p) {
  Plan plan;
  plan.slices = {{kMainThread, 4}, {child(1), 2}, {child(2), 100}, {child(1), 100}};
  return p.run(plan);
}

CausalityResult cause_of(const toy::Program& p, const Trace& failing) {
  DirectExecutor executor([&](const Plan& plan) { return p.run(plan); });
  return causality(
      failing, [&](const Trace& t) { return same_bug(failing, t); }, executor);
}

Bug bug() {
  Bug b;
  b.id = "7c1e";
  b.command = {"./bank", "<script>alert(1)</script>"};
  b.signature = "assert: balance";
  b.strategy = "portfolio";
  b.find_executions = 3;
  return b;
}

TEST(Causality, FindsTheWindowAndTestsBothSides) {
  const toy::Program p = withdrawals();
  const Trace failing = failing_withdrawals(p);
  ASSERT_TRUE(is_failure(failing.outcome()));
  const CausalityResult result = cause_of(p, failing);
  ASSERT_EQ(result.cause.kind, CauseKind::kWindow);
  EXPECT_TRUE(result.cause.exact());
  EXPECT_GE(result.cause.inside.failed, 1u);
  EXPECT_GE(result.cause.outside.passed, 1u);
  EXPECT_EQ(result.cause.first.op, Op::kLoad);
  EXPECT_EQ(result.cause.second.op, Op::kStore);
  EXPECT_EQ(result.cause.other, child(2));
  ASSERT_TRUE(result.passing);
  EXPECT_FALSE(is_failure(result.passing->outcome()));
}

TEST(Causality, NamesTheOrderWhereNothingIsPreempted) {
  // The child uses what main sets only after it created it; the child runs first only if main is stopped or waits.
  toy::Program p;
  p.bodies = {{toy::create(1), toy::create(2), toy::join(1), toy::join(2)},
              {toy::check(
                  1, [](const toy::Run& run) { return run.vars.count(1) != 0 && run.vars.at(1) == 1; }, "set")},
              {toy::store(1, 1)}};
  Plan plan;
  plan.slices = {{kMainThread, 3}, {child(1), 100}};
  const Trace failing = p.run(plan);
  ASSERT_TRUE(is_failure(failing.outcome()));
  const CausalityResult result = cause_of(p, failing);
  ASSERT_EQ(result.cause.kind, CauseKind::kOrder);
  EXPECT_TRUE(result.cause.exact());
  EXPECT_EQ(result.cause.first.thread, child(1));
  EXPECT_EQ(result.cause.second.thread, child(2));
}

TEST(Causality, SurvivesBeingWritten) {
  const toy::Program p = withdrawals();
  const Cause c = cause_of(p, failing_withdrawals(p)).cause;
  const auto again = decode_cause(encode_cause(c));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->kind, c.kind);
  EXPECT_EQ(again->first.step, c.first.step);
  EXPECT_EQ(again->second.site, c.second.site);
  EXPECT_EQ(again->inside.failed, c.inside.failed);
  EXPECT_FALSE(decode_cause("{}"));
  EXPECT_FALSE(decode_cause("no json"));
}

TEST(Diagnosis, CallsAStaleReadWhatItIs) {
  const toy::Program p = withdrawals();
  const Trace failing = failing_withdrawals(p);
  const Cause cause = cause_of(p, failing).cause;
  const Symbols symbols({});
  Names names(failing, symbols);
  const Diagnosis d = diagnose(names, &cause);
  EXPECT_TRUE(d.kind == BugClass::kAtomicity || d.kind == BugClass::kDataRace) << words(d.kind);
  EXPECT_NE(d.claim.find("if and only if"), std::string::npos) << d.claim;
  EXPECT_NE(d.claim.find("tested:"), std::string::npos);
}

TEST(Diagnosis, FindsTheCircleOfADeadlock) {
  toy::Program p;
  p.bodies = {{toy::create(1), toy::create(2), toy::join(1), toy::join(2)},
              {toy::lock(1), toy::lock(2), toy::unlock(2), toy::unlock(1)},
              {toy::lock(2), toy::lock(1), toy::unlock(1), toy::unlock(2)}};
  Plan plan;
  plan.slices = {{kMainThread, 3}, {child(1), 2}, {child(2), 100}};
  const Trace failing = p.run(plan);
  ASSERT_EQ(failing.outcome().kind, OutcomeKind::kDeadlock);
  const Symbols symbols({});
  Names names(failing, symbols);
  EXPECT_EQ(diagnose(names, nullptr).kind, BugClass::kDeadlock);
}

TEST(Causality, CountsDifferentOrdersOnBothSides) {
  const toy::Program p = withdrawals();
  const Cause cause = cause_of(p, failing_withdrawals(p)).cause;
  // Either customer may come between: the claim must hold for both, or it would be refuted by half of the failures.
  EXPECT_TRUE(cause.any_thread);
  EXPECT_TRUE(cause.exact());
  EXPECT_GE(cause.inside.failed, 3u);
  EXPECT_GE(cause.outside.passed, 2u);
}

BugClass class_of(const toy::Program& p, const Plan& plan) {
  const Trace failing = p.run(plan);
  EXPECT_TRUE(is_failure(failing.outcome()));
  const Cause cause = cause_of(p, failing).cause;
  const Symbols symbols({});
  Names names(failing, symbols);
  return diagnose(names, &cause).kind;
}

TEST(Diagnosis, CallsAnEarlyAnnouncementAnOrderViolation) {
  // One thread says that it is ready, then sets the value; the other believes it.
  toy::Program p;
  p.bodies = {{toy::create(1), toy::create(2), toy::join(1), toy::join(2)},
              {toy::store(1, 1), toy::store(2, 7)},
              {toy::load(1, 0), toy::check(
                                    2,
                                    [](const toy::Run& run) {
                                      return run.registers.at({run.current, 0}) == 0 || (run.vars.count(2) != 0 && run.vars.at(2) == 7);
                                    },
                                    "value == 7 (a.c:6, main)")}};
  Plan plan;
  plan.slices = {{kMainThread, 3}, {child(1), 2}, {child(2), 100}};
  EXPECT_EQ(class_of(p, plan), BugClass::kOrder);
}

TEST(Diagnosis, CallsAPairThatIsReadInAnyCaseNoAnnouncement) {
  // Both values are set, the first of them a 1 like any flag; the other thread reads the second whatever the first is.
  toy::Program p;
  p.bodies = {{toy::create(1), toy::create(2), toy::join(1), toy::join(2)},
              {toy::store(1, 1), toy::store(2, 7)},
              {toy::load(1, 0), toy::load(2, 1),
               toy::check(
                   3,
                   [](const toy::Run& run) {
                     return 7 * run.registers.at({run.current, 0}) == run.registers.at({run.current, 1});
                   },
                   "late == early (a.c:6, main)")}};
  Plan torn, early;
  torn.slices = {{kMainThread, 3}, {child(1), 2}, {child(2), 100}};
  early.slices = {{kMainThread, 3}, {child(2), 100}};
  const Trace failing = p.run(torn), passing = p.run(early);
  ASSERT_TRUE(is_failure(failing.outcome()));
  ASSERT_FALSE(is_failure(passing.outcome()));
  const Cause cause = cause_of(p, failing).cause;
  const Symbols symbols({});
  Names names(failing, symbols);
  EXPECT_EQ(diagnose(names, &cause, &passing).kind, BugClass::kMultiAtomicity);
}

TEST(Diagnosis, KnowsWordsForTheEndOfThings) {
  EXPECT_TRUE(speaks_of_end("atomic_load(&c->state) == kAlive"));
  EXPECT_TRUE(speaks_of_end("!isClosed"));
  EXPECT_TRUE(speaks_of_end("o->alive"));
  EXPECT_TRUE(speaks_of_end("p->freed == 0"));
  EXPECT_TRUE(speaks_of_end("o->alive == 0x600d"));
  EXPECT_FALSE(speaks_of_end("freed == 2"));
  EXPECT_FALSE(speaks_of_end("deadline > 0"));
  EXPECT_FALSE(speaks_of_end("count == 0"));
}

TEST(Diagnosis, ReadsAssertions) {
  EXPECT_EQ(assertion_text("balance >= 0 (bank.c:6, void withdraw(int))"), "balance >= 0");
  EXPECT_EQ(assertion_text("f(x) == (y) (/a b/c.c:6, main)"), "");  // a path with a space is no place that we can tell
  EXPECT_EQ(assertion_text("a: b.c:3: main: Assertion `x == 1' failed."), "x == 1");
  EXPECT_EQ(assertion_text("something else"), "");
}

TEST(Text, FitsTheWidthAndSaysEverything) {
  const toy::Program p = withdrawals();
  const Trace failing = failing_withdrawals(p);
  const CausalityResult tested = cause_of(p, failing);
  const Symbols symbols({});
  const Bug b = bug();
  Story story{b, failing, symbols};
  story.cause = &tested.cause;
  story.passing = &*tested.passing;
  for (size_t width : {80, 100, 120, 160}) {
    TextOptions options;
    options.width = width;
    const std::string text = explain_text(story, options);
    EXPECT_EQ(text.find("NEAREST PASSING") != std::string::npos, true);
    EXPECT_NE(text.find("== preempted"), std::string::npos);
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.size(), text.find('\n', at));
      const std::string line = text.substr(at, end - at);
      if (line.find("heddle ") == std::string::npos) {
        EXPECT_LE(shown_width(line), width + 1) << line;
      }
      at = end + 1;
    }
  }
}

TEST(Text, NamesAReplayStringThatIsTooLongToShow) {
  const Trace failing = failing_withdrawals(withdrawals());
  const Symbols symbols({});
  const Bug b = bug();
  Story story{b, failing, symbols};
  TextOptions options;
  story.replay = "hd2:" + std::string(100, 'a');
  EXPECT_NE(explain_text(story, options).find(story.replay), std::string::npos);
  story.replay = "hd2:" + std::string(5'000, 'a');
  EXPECT_EQ(explain_text(story, options).find(story.replay), std::string::npos);
  EXPECT_NE(explain_text(story, options).find("a replay string of 5004 characters"), std::string::npos);
  options.all = true;
  EXPECT_NE(explain_text(story, options).find(story.replay), std::string::npos);
}

TEST(Text, CutsBetweenCharacters) {
  EXPECT_EQ(fitted("äöüäöü", 5, false), "äöü..");
  EXPECT_EQ(fitted("abc", 5, true), "abc  ");
  EXPECT_EQ(shown_width("äö"), 2u);
}

TEST(Machines, HostileTextsStayText) {
  const toy::Program p = withdrawals();
  const Trace failing = failing_withdrawals(p);
  const Symbols symbols({});
  Bug b = bug();
  b.command.push_back("]]>\x01\xff&\"'");
  Story story{b, failing, symbols};
  const std::string page = html_page(story);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("\\u003cscript\\u003ealert"), std::string::npos);
  EXPECT_LT(page.size(), 1'000'000u);
  for (const char* outside : {"http-equiv=\"refresh\"", "<img", "<iframe", "<link", " src="})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;

  const std::string xml = junit_text(story);
  EXPECT_EQ(xml.find("<script>"), std::string::npos);
  EXPECT_EQ(xml.find('\x01'), std::string::npos);
  EXPECT_EQ(xml.find('\xff'), std::string::npos);
  EXPECT_EQ(xml_escaped("<a b='\"&'>"), "&lt;a b=&apos;&quot;&amp;&apos;&gt;");

  const auto sarif = nlohmann::json::parse(sarif_text(story));
  const auto& result = sarif["runs"][0]["results"][0];
  EXPECT_EQ(sarif["version"], "2.1.0");
  EXPECT_EQ(result["ruleId"], sarif["runs"][0]["tool"]["driver"]["rules"][0]["id"]);
  std::set<uint64_t> orders;
  size_t locations = 0;
  for (const auto& flow : result["codeFlows"][0]["threadFlows"]) {
    for (const auto& at : flow["locations"]) {
      orders.insert(at["executionOrder"].get<uint64_t>());
      ++locations;
    }
  }
  EXPECT_EQ(locations, failing.events().size());
  EXPECT_EQ(orders.size(), locations);  // one order over all threads
  EXPECT_FALSE(result["fingerprints"].empty());

  const auto perfetto = nlohmann::json::parse(chrome_trace_text(story));
  EXPECT_GE(perfetto["traceEvents"].size(), failing.events().size());
}

TEST(Machines, FilesBecomeUris) { EXPECT_EQ(file_uri("/a b/c%.c"), "file:///a%20b/c%25.c"); }

TEST(ReplayString, ComesBackAndNoticesDamage) {
  const toy::Program p = withdrawals();
  const Trace failing = failing_withdrawals(p);
  ReplayString r;
  r.build_id = "abc123";
  r.command = {"./bank", "80"};
  r.kind = "assert";
  r.signature = signature(failing);
  r.plan = plan_of(failing);
  r.plan.sites = {make_site(0, 0x1000), make_site(0, 0x1010)};
  const std::string text = encode_replay(r);
  EXPECT_TRUE(is_replay_string(text));
  const ReplayString again = decode_replay(text);
  EXPECT_EQ(again.build_id, r.build_id);
  EXPECT_EQ(again.command, r.command);
  EXPECT_EQ(again.signature, r.signature);
  EXPECT_EQ(again.plan.sites, r.plan.sites);
  EXPECT_EQ(encode(again.plan), encode([&] {
              Plan plan = r.plan;
              plan.limits = again.plan.limits;
              plan.tail = again.plan.tail;
              return plan;
            }()));
  for (size_t i = kReplayPrefix.size(); i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    // The last letter may hold bits that mean nothing.
    if (i + 1 < text.size()) {
      EXPECT_THROW(decode_replay(changed), Error) << i;
    }
    EXPECT_THROW(decode_replay(text.substr(0, i)), Error) << i;
  }
  EXPECT_THROW(decode_replay("hd2:AAAA"), Error);
  EXPECT_THROW(decode_replay("hd1:!!"), Error);
  EXPECT_FALSE(is_replay_string("7c1e"));
}

}  // namespace
}  // namespace heddle::test
