// In whose frame an object on a stack lies.
#include "trace/locals.h"

#include <gtest/gtest.h>

#include "wire/event_stacks.h"

namespace heddle::test {
namespace {

constexpr SiteId kMain = make_site(0, 0x100), kCalled = make_site(0, 0x200), kOther = make_site(0, 0x300);

// Main's events with its frames then, and another thread's use of one object in between.
class Locals : public ::testing::Test {
 protected:
  Locals() {
    data_.threads.resize(2);
    data_.threads[0].id = kMainThread;
    data_.threads[1].id = 77;
  }

  ObjectId object(uint64_t distance) {
    const ObjectId id = make_object(ObjectKind::kStack, kMainThread, distance);
    data_.objects.push_back({id, kMainThread, distance, 0, kNoSite, 0, 0});
    return id;
  }

  // Frames innermost first: the place, and how far below the top the frame ends.
  void event(uint32_t thread, ObjectId id, const std::vector<std::pair<SiteId, uint64_t>>& frames) {
    Event e{};
    e.thread = thread;
    e.op = Op::kMutexLock;
    e.object = id;
    data_.events.push_back(e);
    RaceRow row{};
    row.count = static_cast<uint32_t>(data_.events.size());
    row.first.thread = thread;
    for (const auto& [site, end] : frames) {
      row.first.stack[row.first.stack_size] = site;
      row.second.stack[row.first.stack_size++] = end;
    }
    data_.races.push_back(row);
  }

  std::vector<LocalPlace> locals() { return locals_in(Trace(data_)); }

  Trace::Data data_;
};

TEST_F(Locals, AreInTheFrameAroundThem) {
  const ObjectId outer = object(40), inner = object(100);
  event(0, outer, {{kCalled, 64}, {kMain, 0}});
  event(0, inner, {{kCalled, 64}, {kMain, 0}});
  EXPECT_EQ(locals(), (std::vector<LocalPlace>{{outer, kMain, kMain, 0}, {inner, kCalled, kCalled, 64}}));
}

TEST_F(Locals, OfAnotherThreadAreWhereItsOwnerLastWas) {
  const ObjectId id = object(100);
  event(0, kNoObject, {{kCalled, 64}, {kMain, 0}});
  event(1, id, {{kOther, 8}});
  event(0, id, {{kOther, 64}, {kMain, 0}});
  EXPECT_EQ(locals(), (std::vector<LocalPlace>{{id, kCalled, kOther, 64}}));
}

TEST_F(Locals, OfTwoFramesInTurnAreNone) {
  const ObjectId id = object(100);
  event(0, id, {{kCalled, 64}, {kMain, 0}});
  event(0, id, {{kOther, 80}, {kMain, 0}});
  EXPECT_TRUE(locals().empty());
}

TEST_F(Locals, UsedBeforeCallsAreKeptAreWhereTheirOwnerIsNext) {
  const ObjectId id = object(100);
  event(0, id, {});
  data_.races.clear();
  event(0, id, {{kCalled, 64}, {kMain, 0}});
  EXPECT_EQ(locals(), (std::vector<LocalPlace>{{id, kCalled, kCalled, 64}}));
}

TEST_F(Locals, WhoseFrameIsNotKnownAreNone) {
  event(1, object(100), {{kOther, 8}});
  event(0, object(50), {{kCalled, kNoFrameEnd}});
  EXPECT_TRUE(locals().empty());
}

}  // namespace
}  // namespace heddle::test
