#include "symbols/source_statement.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace heddle::test {
namespace {

class SourceFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::path(testing::TempDir()) / ("heddle_source_" + std::to_string(getpid()));
    std::filesystem::create_directories(directory_ / "src");
    std::ofstream(directory_ / "src" / "a.cpp") << "int a;\n\n  a = 1;  // one\r\nlast";
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path directory_;
};

TEST_F(SourceFilesTest, GivesLinesAsTheyStand) {
  SourceFiles files;
  std::string file = (directory_ / "src" / "a.cpp").string();
  EXPECT_EQ(files.line(file, 1), "int a;");
  EXPECT_EQ(files.line(file, 2), "");
  EXPECT_EQ(files.line(file, 3), "  a = 1;  // one");
  EXPECT_EQ(files.line(file, 4), "last");
  EXPECT_EQ(files.line(file, 5), std::nullopt);
  EXPECT_EQ(files.line(file, 0), std::nullopt);
  EXPECT_EQ(files.line(file, -1), std::nullopt);
}

TEST_F(SourceFilesTest, GivesStatementsClean) {
  std::string file = (directory_ / "src" / "a.cpp").string();
  EXPECT_EQ(SourceFiles().statement(file, 3), "a = 1;");
  EXPECT_EQ(source_statement(file, 3), "a = 1;");
  EXPECT_EQ(source_statement(file, 9), std::nullopt);
}

TEST_F(SourceFilesTest, FindsFilesThatMovedWithTheirTree) {
  SourceFiles files({directory_.string()});
  EXPECT_EQ(files.line("/nowhere/project/src/a.cpp", 1), "int a;");
  EXPECT_EQ(files.line("./src/a.cpp", 1), "int a;");
  EXPECT_EQ(files.line("/nowhere/src/b.cpp", 1), std::nullopt);
  EXPECT_EQ(SourceFiles().line("/nowhere/project/src/a.cpp", 1), std::nullopt);
}

TEST_F(SourceFilesTest, ReadsRegularFilesOnly) {
  SourceFiles files;
  EXPECT_EQ(files.line(directory_.string(), 1), std::nullopt);
  EXPECT_EQ(files.line("/dev/zero", 1), std::nullopt);
  EXPECT_EQ(files.line("", 1), std::nullopt);
}

TEST(CleanStatement, DropsIndentationAndComments) {
  EXPECT_EQ(clean_statement("\t  balance -=  amount;\t"), "balance -= amount;");
  EXPECT_EQ(clean_statement("lock(); // enter"), "lock();");
  EXPECT_EQ(clean_statement("a /* b */ = c;"), "a = c;");
  EXPECT_EQ(clean_statement("a = b; /* open"), "a = b;");
  EXPECT_EQ(clean_statement("// nothing"), "");
  EXPECT_EQ(clean_statement(""), "");
}

TEST(CleanStatement, LeavesLiteralsAlone) {
  EXPECT_EQ(clean_statement(R"(open("http://x",  'a'); // y)"), R"(open("http://x", 'a');)");
  EXPECT_EQ(clean_statement(R"(print("a  b \" //  c");)"), R"(print("a  b \" //  c");)");
  EXPECT_EQ(clean_statement("n = 1'000;  // '"), "n = 1'000;");
  EXPECT_EQ(clean_statement("c = '\"';  // quote"), "c = '\"';");
}

}  // namespace
}  // namespace heddle::test
