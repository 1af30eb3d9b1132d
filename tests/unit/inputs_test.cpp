// What came from outside: read from a slot that the target may have scribbled on, given back to a run, and kept beside a bug.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "store/atomic_file.h"
#include "store/input_store.h"
#include "trace/error.h"
#include "trace/input_log.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

std::string record(InputKind kind, ThreadId thread, uint32_t ordinal, int64_t result, const std::string& bytes) {
  const InputRecord r{kind, static_cast<uint32_t>(bytes.size()), thread, ordinal, Op::kRead, 0, result, 9};
  std::string text(reinterpret_cast<const char*>(&r), sizeof r);
  text += bytes;
  text.resize(input_record_bytes(bytes.size()));
  return text;
}

TEST(InputLog, IsSortedByThreadAndOrdinal) {
  const std::string arena = record(InputKind::kCall, 7, 1, 1, "b") + record(InputKind::kFile, 1, 0, 3, "/x") +
                            record(InputKind::kCall, 7, 0, 1, "a") + record(InputKind::kCall, 2, 0, 2, "cc") +
                            record(InputKind::kFile, 1, 0, 3, "/x");
  InputLog log;
  parse_inputs(arena.data(), arena.size(), log);
  ASSERT_EQ(log.files.size(), 1u);
  EXPECT_EQ(log.files[0].path, "/x");
  ASSERT_EQ(log.calls.size(), 3u);
  EXPECT_EQ(log.calls[0].bytes + log.calls[1].bytes + log.calls[2].bytes, "ccab");
}

TEST(InputLog, EndsWhereAnArenaMakesNoSense) {
  std::string arena = record(InputKind::kCall, 7, 0, 1, "good") + record(InputKind::kCall, 7, 1, 1, "bad");
  const auto huge = uint32_t{1} << 31;
  std::memcpy(arena.data() + input_record_bytes(4) + offsetof(InputRecord, size), &huge, sizeof huge);
  InputLog log;
  parse_inputs(arena.data(), arena.size(), log);
  EXPECT_EQ(log.calls.size(), 1u);
  for (size_t cut = 0; cut < arena.size(); ++cut) {
    InputLog part;
    parse_inputs(arena.data(), cut, part);
    EXPECT_LE(part.calls.size(), 1u);
  }
}

TEST(InputLog, TheBlockForARunPointsAtEveryCall) {
  InputLog log;
  log.calls = {{2, 0, Op::kRead, 3, 5, "abc"}, {7, 0, Op::kPoll, 0, 6, ""}, {7, 1, Op::kRead, -11, 8, ""}};
  const std::string block = replay_block(log, true);
  ReplayedInputs head{};
  std::memcpy(&head, block.data(), sizeof head);
  EXPECT_EQ(head.count, 3u);
  EXPECT_EQ(head.mode, InputMode::kExact);
  for (size_t i = 0; i < 3; ++i) {
    uint64_t offset = 0;
    std::memcpy(&offset, block.data() + sizeof head + i * sizeof offset, sizeof offset);
    InputRecord r{};
    ASSERT_LE(offset + sizeof r, block.size());
    std::memcpy(&r, block.data() + offset, sizeof r);
    EXPECT_EQ(r.thread, log.calls[i].thread);
    EXPECT_EQ(r.ordinal, log.calls[i].ordinal);
    EXPECT_EQ(r.result, log.calls[i].result);
    EXPECT_EQ(std::string(block.data() + offset + sizeof r, r.size), log.calls[i].bytes);
  }
}

class InputStore : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/heddle_inputs_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }
  InputLog log_of(const std::vector<std::string>& names) const {
    InputLog log;
    for (const std::string& name : names) log.files.push_back({(root_ / name).string(), 0, 0});
    return log;
  }
  void write(const std::string& name, const std::string& bytes) const { replace_file((root_ / name).string(), bytes); }
  std::string kept() const { return (root_ / "kept").string(); }

  fs::path root_;
};

TEST_F(InputStore, GivesBackWhatIsGoneOrChanged) {
  write("a", "one");
  write("b", "two");
  write("c", "one");
  EXPECT_TRUE(keep_files(kept(), log_of({"a", "b", "c", "never-there"})).empty());
  EXPECT_TRUE(changed_files(kept()).empty());
  size_t blobs = 0;
  for (const auto& entry : fs::directory_iterator(kept())) blobs += entry.path().extension() == ".zst" ? 1 : 0;
  EXPECT_EQ(blobs, 2u) << "equal contents are kept once";
  write("b", "other");
  fs::remove(root_ / "c");
  const auto changed = changed_files(kept());
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_EQ(changed[0].bytes, "two");
  EXPECT_EQ(changed[1].path, (root_ / "c").string());
  EXPECT_EQ(changed[1].bytes, "one");
  // What was kept first stays: a later trace of the same bug read the same.
  EXPECT_TRUE(keep_files(kept(), log_of({"b"})).empty());
  EXPECT_EQ(changed_files(kept())[0].bytes, "two");
  // The same contents with another time of change are the same file.
  write("b", "two");
  EXPECT_EQ(changed_files(kept()).size(), 1u);
}

TEST_F(InputStore, SaysWhatIsTooLarge) {
  write("large", "");
  ASSERT_EQ(::truncate((root_ / "large").c_str(), static_cast<off_t>(kMostOfOneFile + 1)), 0);
  const auto notes = keep_files(kept(), log_of({"large"}));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("too large"), std::string::npos);
  EXPECT_TRUE(changed_files(kept()).empty());
}

TEST_F(InputStore, RefusesDamagedContents) {
  write("a", "one");
  keep_files(kept(), log_of({"a"}));
  fs::remove(root_ / "a");
  for (const auto& entry : fs::directory_iterator(kept())) {
    if (entry.path().extension() == ".zst") replace_file(entry.path().string(), "nonsense");
  }
  EXPECT_THROW(changed_files(kept()), Error);
  replace_file(kept() + "/index.json", "{");
  EXPECT_THROW(changed_files(kept()), Error);
}

}  // namespace
}  // namespace heddle::test
