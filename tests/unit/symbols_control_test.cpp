// Which branches decide about an instruction, in functions made up for it.
#include "symbols/control.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::test {
namespace {

using Kind = Instruction::Kind;
using Offsets = std::vector<uint64_t>;

// Instructions of one byte each, at offsets 0, 1, 2, ...
class Code {
 public:
  Code& plain() { return add(Kind::kPlain, 0); }
  Code& branch(uint64_t target) { return add(Kind::kBranch, target); }
  Code& jump(uint64_t target) { return add(Kind::kJump, target); }
  Code& returns() { return add(Kind::kReturn, 0); }
  Code& computed() { return add(Kind::kIndirectJump, 0); }
  ControlDependence control(const JumpTargets& jumps = {}) const { return {function_, jumps}; }

 private:
  Code& add(Kind kind, uint64_t target) {
    Instruction i;
    i.offset = function_.instructions.size();
    i.length = 1;
    i.kind = kind;
    i.target = target;
    function_.instructions.push_back(i);
    function_.end = i.end();
    return *this;
  }
  DecodedFunction function_;
};

TEST(Control, BothSidesOfAnIfDependOnItAndWhatFollowsDoesNot) {
  // 0; 1 branch 4; 2; 3 jump 5; 4 (else); 5 return
  const ControlDependence c = Code().plain().branch(4).plain().jump(5).plain().returns().control();
  EXPECT_EQ(c.branches(0), Offsets());
  EXPECT_EQ(c.branches(1), Offsets());
  EXPECT_EQ(c.branches(2), Offsets{1});
  EXPECT_EQ(c.branches(3), Offsets{1});
  EXPECT_EQ(c.branches(4), Offsets{1});
  EXPECT_EQ(c.branches(5), Offsets());
}

TEST(Control, ALoopDependsOnItsOwnCondition) {
  // 0; 1 branch 4 (leave); 2; 3 jump 1; 4 return
  const ControlDependence c = Code().plain().branch(4).plain().jump(1).returns().control();
  EXPECT_EQ(c.branches(0), Offsets());
  EXPECT_EQ(c.branches(1), Offsets{1});
  EXPECT_EQ(c.branches(2), Offsets{1});
  EXPECT_EQ(c.branches(4), Offsets());
}

TEST(Control, AnEarlyReturnDecidesAboutTheRest) {
  // 0 branch 2; 1 return; 2; 3 branch 5; 4; 5 return
  const ControlDependence c = Code().branch(2).returns().plain().branch(5).plain().returns().control();
  EXPECT_EQ(c.branches(1), Offsets{0});
  EXPECT_EQ(c.branches(2), Offsets{0});
  EXPECT_EQ(c.branches(4), Offsets{3});
  EXPECT_EQ(c.branches(5), Offsets{0});
}

TEST(Control, ALoopWithoutAnEndIsNoTrap) {
  // 0 branch 3; 1; 2 jump 1; 3 return
  const ControlDependence c = Code().branch(3).plain().jump(1).returns().control();
  EXPECT_EQ(c.branches(3), Offsets{0});
  // Somewhere in the loop it is taken to end.
  const Offsets& inside = c.branches(1);
  EXPECT_NE(std::find(inside.begin(), inside.end(), 0), inside.end());
}

TEST(Control, AComputedJumpGoesWhereTheRunShowedIt) {
  // 0 computed; 1 jump 3; 2; 3 return
  const Code code = Code().computed().jump(3).plain().returns();
  const ControlDependence shown = code.control({{0, {1, 2}}});
  EXPECT_EQ(shown.branches(1), Offsets{0});
  EXPECT_EQ(shown.branches(2), Offsets{0});
  EXPECT_EQ(shown.branches(3), Offsets());
  // Where only one place was seen it may still leave for another.
  EXPECT_EQ(code.control({{0, {1}}}).branches(1), Offsets{0});
}

TEST(Control, ACallThatEndsTheFunctionLeavesIt) {
  // 0 branch 9 (outside: a call in last place); 1; 2 return
  const ControlDependence c = Code().branch(9).plain().returns().control();
  EXPECT_EQ(c.branches(1), Offsets{0});
  EXPECT_EQ(c.branches(100), c.branches(2));
}

}  // namespace
}  // namespace heddle::test
