#include "trace/clean_text.h"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

TEST(CleanText, LeavesOrdinaryTextAlone) {
  const std::string text = "T1 locks m\tat größe.cpp:5 · 日本 \xF0\x9F\x90\x9B\n";
  EXPECT_EQ(clean_text(text), text);
}

TEST(CleanText, TakesControlCharactersOut) {
  EXPECT_EQ(clean_text("a\033[31mb\a\r\x7f"), "a?[31mb???");
  EXPECT_EQ(clean_text(std::string_view("a\0b", 3)), "a?b");
  EXPECT_EQ(clean_text("\u009b31m\u0090"), "?31m?");  // C1, which some terminals obey
  EXPECT_EQ(clean_line("a\nb\tc"), "a?b?c");
}

TEST(CleanText, TakesOutWhatTurnsOrHidesText) { EXPECT_EQ(clean_text("a\u202Eb\u2066c\u200Fd\u200Be\uFEFFf\U000E0041g"), "a?b?c?d?e?f?g"); }

TEST(CleanText, TakesOutWhatIsNotUtf8) {
  EXPECT_EQ(clean_text("a\xffg"), "a?g");
  EXPECT_EQ(clean_text("\xc3"), "?");                 // cut off
  EXPECT_EQ(clean_text("\xc0\xaf"), "??");            // not the shortest form
  EXPECT_EQ(clean_text("\xed\xa0\x80"), "???");       // half of a pair
  EXPECT_EQ(clean_text("\xf4\x90\x80\x80"), "????");  // beyond Unicode
  EXPECT_EQ(clean_text("\x9b"
                       "31m"),
            "?31m");
}

TEST(CleanText, EscapesThemInJson) {
  EXPECT_EQ(escape_steering("{\n \"a\": \"\u009b\u202E\x7f\U000E0041é\"}"), "{\n \"a\": \"\\u009b\\u202e\\u007f\\udb40\\udc41é\"}");
}

}  // namespace
}  // namespace heddle::test
