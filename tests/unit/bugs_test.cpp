// Saved bugs: found again by any name a person would use, and never lost to a damaged neighbour.
#include "store/bugs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "store/atomic_file.h"
#include "trace/error.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

class Bugs : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("heddle-bugs-" + std::to_string(::getpid()));
    fs::create_directories(root_);
  }
  void TearDown() override {
    fs::permissions(root_, fs::perms::owner_all);
    fs::remove_all(root_);
  }
  static Bug made_up(const std::string& signature) {
    Bug bug;
    bug.command = {"./bank", "--fast", "\xFF\xFE"};
    bug.program = "/somewhere/bank";
    bug.directory = "/somewhere";
    bug.kind = "assert";
    bug.message = "balance >= 0";
    bug.signature = signature;
    bug.expect_stdout = "ok\n";
    bug.seed = ~uint64_t{0};
    bug.found = {61, 3, 9, 8, 8};
    bug.minimal = "proved";
    return bug;
  }
  std::string save(const BugStore& store, const std::string& signature) {
    Bug bug = made_up(signature);
    bug.id = store.id_for(bug);
    store.save(bug);
    return bug.id;
  }
  fs::path root_;
};

TEST_F(Bugs, AreFoundByEveryName) {
  const BugStore store(root_.string());
  const std::string a = save(store, "assert: a");
  const std::string b = save(store, "assert: b");
  ASSERT_NE(a, b);
  EXPECT_EQ(store.load("").id, b);
  EXPECT_EQ(store.load(a).signature, "assert: a");
  EXPECT_EQ(store.load(b.substr(0, 3)).id, b);
  EXPECT_EQ(store.load((root_ / ".heddle/bugs" / a).string()).id, a);
  EXPECT_EQ(store.load((root_ / ".heddle/bugs" / a / "").string()).id, a);
  EXPECT_EQ(store.list().size(), 2u);
  const Bug again = store.load(a);
  EXPECT_EQ(again.command.size(), 3u);
  EXPECT_EQ(again.seed, ~uint64_t{0});
  EXPECT_EQ(again.expect_stdout, "ok\n");
  EXPECT_EQ(again.fails_if, std::nullopt);
  EXPECT_EQ(again.found, (Counts{61, 3, 9, 8, 8}));
}

TEST_F(Bugs, TheSameBugKeepsItsId) {
  const BugStore store(root_.string());
  EXPECT_EQ(save(store, "deadlock: x"), save(store, "deadlock: x"));
  EXPECT_EQ(store.list().size(), 1u);
}

TEST_F(Bugs, EachProblemIsOneSentence) {
  const BugStore store(root_.string());
  EXPECT_THROW(store.load(""), Error);
  const std::string id = save(store, "exit 3: x");
  EXPECT_THROW(store.load("zzzz"), Error);
  EXPECT_THROW(store.load(".."), Error);
  EXPECT_THROW(store.load("../../etc"), Error);
  EXPECT_THROW(store.load_trace(store.load(id), kFailingTrace), Error);
  for (const char* damage : {"", "{", "[]", "{\"version\": 99}", "{\"version\": 1}", "{\"version\": \"x\"}", "\xFF\xFF"}) {
    std::ofstream(store.directory_of(id) + "/bug.json") << damage;
    EXPECT_THROW(store.load(id), Error) << damage;
    ASSERT_EQ(store.list().size(), 1u);
    EXPECT_FALSE(store.list().front().complaint.empty());
  }
  std::ofstream(root_ / ".heddle/latest") << "../../..\n";
  EXPECT_THROW(store.load(""), Error);
}

TEST_F(Bugs, AFileInTheWayLosesNothing) {
  std::ofstream(root_ / ".heddle") << "not a directory";
  const BugStore store(root_.string());
  EXPECT_THROW(save(store, "x"), Error);
  EXPECT_EQ(read_file((root_ / ".heddle").string()), "not a directory");
}

}  // namespace
}  // namespace heddle::test
