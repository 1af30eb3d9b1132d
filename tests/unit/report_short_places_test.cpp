#include "report/short_places.h"

#include <gtest/gtest.h>

namespace heddle::report {
namespace {

TEST(ShortPlaces, AFilesPlacesLoseItsNameAndDirectories) {
  EXPECT_EQ(without_file("T1 locks m at a.c:5, T2 at b.c:6", "a.c"), "T1 locks m at :5, T2 at b.c:6");
  EXPECT_EQ(without_file("x >= 0 (../src/a.c:5, f)", "a.c"), "x >= 0 (:5, f)");
  // Another file whose name ends alike, and the name without a line.
  EXPECT_EQ(without_file("data.c:5 of a.c", "a.c"), "data.c:5 of a.c");
  EXPECT_EQ(without_file("a.c:5", ""), "a.c:5");
}

TEST(ShortPlaces, TheFirstSentenceKeepsTheName) {
  Diagnosis d;
  d.why = "T1 waits at a.c:5; T2 waits at a.c:6";
  d.fix = "Hold m from a.c:4 to a.c:6.";
  d.waits.push_back({.at = "a.c:5", .taken_at = "a.c:9"});
  name_file_once(d, "a.c");
  EXPECT_EQ(d.why, "T1 waits at a.c:5; T2 waits at :6");
  EXPECT_EQ(d.fix, "Hold m from :4 to :6.");
  EXPECT_EQ(d.waits[0].at, ":5");
  EXPECT_EQ(d.waits[0].taken_at, ":9");
}

TEST(ShortPlaces, NoSentenceRepeatsWhatTheEndingNames) {
  Diagnosis d;
  d.ending = "assert x, a.c:7";
  d.why = "T1 reads x at a.c:5";
  name_file_once(d, "a.c");
  EXPECT_EQ(d.why, "T1 reads x at :5");
}

}  // namespace
}  // namespace heddle::report
