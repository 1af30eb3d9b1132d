// What searches leave for later ones: totals, seeds, what was learnt; and that a second process or an interrupt does not spoil it.
#include "store/campaigns.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "trace/error.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

class Campaigns : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("heddle-campaigns-" + std::to_string(::getpid()));
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  CampaignStore open(const std::string& build = "b1", const std::vector<std::string>& command = {"./p", "x"}) const {
    return CampaignStore(root_.string(), build, command);
  }
  fs::path root_;
};

SearchRecord record(uint64_t seed, uint64_t executions) { return {"portfolio", seed, 0, executions, 0.5, false}; }

TEST_F(Campaigns, AddsUpTheSearchesOfOneProgramAndOfNoOther) {
  SearchHistory history;
  history.tried[7] = 3;
  history.behaviours[9] = 2;
  history.sites = {1, 5};
  open().save(record(1, 100), history);
  open().save(record(1, 50), history);
  open("b2").save(record(1, 1000), {});
  open("b1", {"./p"}).save(record(1, 2000), {});
  const CampaignStore again = open();
  EXPECT_EQ(again.totals().searches, 2u);
  EXPECT_EQ(again.totals().executions, 150u);
  EXPECT_DOUBLE_EQ(again.totals().seconds, 1.0);
  EXPECT_EQ(again.segments("portfolio", 1), 2u);
  EXPECT_EQ(again.segments("portfolio", 2), 0u);
  EXPECT_EQ(again.segments("random", 1), 0u);
  EXPECT_EQ(again.history().tried, history.tried);
  EXPECT_EQ(again.history().behaviours, history.behaviours);
  EXPECT_EQ(again.history().sites, history.sites);
}

TEST_F(Campaigns, ACheckpointIsReplacedByTheNextOneOfTheSameSearch) {
  CampaignStore store = open();
  store.save(record(4, 10), {});
  EXPECT_EQ(open().totals().executions, 10u);  // another process sees what an interrupted one would leave
  store.save(record(4, 30), {});
  EXPECT_EQ(open().totals().searches, 1u);
  EXPECT_EQ(open().totals().executions, 30u);
}

TEST_F(Campaigns, CountsBugsOverAllSearches) {
  open().count_bug("7c1e", 2);
  open().count_bug("01c4", 1);
  open().count_bug("7c1e", 3);
  const std::vector<std::pair<std::string, uint64_t>> expected = {{"7c1e", 5}, {"01c4", 1}};
  EXPECT_EQ(open().bugs(), expected);
}

TEST_F(Campaigns, SaysInOneSentenceWhatItCannotRead) {
  fs::create_directories(root_ / ".heddle");
  std::ofstream(root_ / ".heddle" / "campaigns.sqlite") << "this is no database, however long it may be; it only looks like a file";
  EXPECT_THROW(open(), Error);
}

}  // namespace
}  // namespace heddle::test
