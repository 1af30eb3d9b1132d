// Checkpoints on disk: what was written comes back, and anything else is refused with a sentence.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "store/atomic_file.h"
#include "store/checkpoint_file.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kPage = 4096;

class CheckpointFiles : public testing::Test {
 protected:
  CheckpointFiles() : root_(fs::temp_directory_path() / ("heddle-checkpoint." + std::to_string(::getpid()))) {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~CheckpointFiles() override { fs::remove_all(root_); }

  std::string path() const { return (root_ / "checkpoint.0001").string(); }

  static std::string page(char c, size_t count) { return std::string(count * kPage, c); }

  void write() const {
    Checkpoint c;
    c.step = 12345;
    c.real_ms = 678;
    c.vdso = ~uint64_t{0};
    c.mappings = {{0x1000, 0x5000, 0, "rw-p", "", 0, 0}, {0x7000, 0x9000, 0x2000, "r-xp", "/usr/bin/true", 100, 200}};
    CheckpointWriter writer(path());
    writer.begin(c);
    for (uint64_t i = 0; i < 40; ++i) writer.pages(i * 0x100000, page(static_cast<char>('a' + i), 50));
    writer.end();
  }

  std::string complaint() const {
    try {
      CheckpointReader reader(path());
      uint64_t address = 0;
      std::string bytes;
      while (reader.pages(&address, &bytes)) continue;
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

  fs::path root_;
};

TEST_F(CheckpointFiles, ComeBackAsTheyWereWritten) {
  write();
  CheckpointReader reader(path());
  EXPECT_EQ(reader.checkpoint().step, 12345U);
  EXPECT_EQ(reader.checkpoint().real_ms, 678U);
  EXPECT_EQ(reader.checkpoint().vdso, ~uint64_t{0});
  ASSERT_EQ(reader.checkpoint().mappings.size(), 2U);
  EXPECT_EQ(reader.checkpoint().mappings[1].path, "/usr/bin/true");
  EXPECT_EQ(reader.checkpoint().mappings[1].changed, 200U);
  uint64_t address = 0;
  std::string bytes;
  for (uint64_t i = 0; i < 40; ++i) {
    ASSERT_TRUE(reader.pages(&address, &bytes));
    EXPECT_EQ(address, i * 0x100000);
    EXPECT_EQ(bytes, page(static_cast<char>('a' + i), 50));
  }
  EXPECT_FALSE(reader.pages(&address, &bytes));
  struct stat status {};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(CheckpointFiles, AppearWhenTheyAreWhole) {
  {
    CheckpointWriter writer(path());
    writer.begin({});
    writer.pages(0, page('x', 1));
    EXPECT_FALSE(fs::exists(path()));
  }
  EXPECT_TRUE(fs::is_empty(root_));
}

TEST_F(CheckpointFiles, EveryTruncationAndEveryChangeIsNoticed) {
  write();
  const std::string whole = read_file(path());
  EXPECT_EQ(complaint(), "");
  for (size_t size = 0; size < whole.size(); size += 1 + size / 3) {
    replace_file(path(), whole.substr(0, size));
    EXPECT_NE(complaint(), "") << size;
  }
  for (size_t at = 0; at < whole.size(); at += 1 + at / 3) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    replace_file(path(), changed);
    EXPECT_NE(complaint(), "") << at;
  }
}

TEST_F(CheckpointFiles, AnotherFileHasAnotherDigest) {
  write();
  const std::string digest = checkpoint_digest(path());
  EXPECT_EQ(digest.size(), 64U);
  std::string changed = read_file(path());
  changed.back() = static_cast<char>(changed.back() ^ 1);
  replace_file(path(), changed);
  EXPECT_NE(checkpoint_digest(path()), digest);
  EXPECT_EQ(checkpoint_digest(path() + ".none"), "");
}

}  // namespace
}  // namespace heddle::test
