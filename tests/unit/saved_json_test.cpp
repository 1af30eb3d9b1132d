// Numbers in saved JSON that no field can hold.
#include "store/saved_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "store/reduction.h"
#include "store/saved_cause.h"
#include "store/saved_stacks.h"

namespace heddle::test {
namespace {

using nlohmann::json;

TEST(SavedJson, RefusesNumbersThatCannotBeConverted) {
  EXPECT_TRUE(parse_saved_json<json>(R"({"seed": 281474976715976715745})").is_null());
  EXPECT_TRUE(parse_saved_json<json>(R"({"seed": 1e300})").is_null());
  EXPECT_TRUE(parse_saved_json<json>(R"({"seed": -1.5})").is_null());
  EXPECT_EQ(parse_saved_json<json>(R"({"seconds": 0.25, "seed": 18446744073709551615})").at("seed").get<uint64_t>(), ~uint64_t{0});
}

TEST(SavedJson, KeepsBytesThatAreNoText) {
  for (const std::string bytes : {"plain", "\xFF\xFE", "gr\xC3\xBC\xDF", "\xF4\x8F\xBF\xBF", "cut \xF0\x9F\x98", ""}) {
    const json j = {{"names", {bytes}}, {bytes, 1}};
    const json again = parse_saved_json<json>(saved_json(j).dump());
    EXPECT_EQ(again.at("names").at(0).get<std::string>(), bytes);
    EXPECT_TRUE(again.contains(text_of_bytes(bytes)));
    EXPECT_EQ(bytes_of_text(text_of_bytes(bytes)), bytes);
  }
}

TEST(SavedJson, IsNoStacksAndNoCauseThen) {
  EXPECT_TRUE(decode_stacks(R"({"sites":[281474976715976715745],"stacks":[[0]]})").empty());
  EXPECT_FALSE(decode_cause("[1e300]").has_value());
}

TEST(SavedReduction, ComesBackAsItWas) {
  ReductionRecord r;
  r.by = {"delta"};
  r.threads = {11, 3};
  r.kept_threads = {"main", "T2", "T3"};
  r.iterations = BeforeAfter{100, 2};
  r.kept_iterations = {{"a \xFF.c", 72, "T2", 10, {7}}, {"a.c", 72, "T3", 10, {4}}};
  r.log_events = {1044, 143};
  r.replay_seconds_before = 0.5;
  r.replay_seconds_after = 0.25;
  r.same_failure = true;
  r.criterion = {true, true, true, false};
  EXPECT_EQ(decode_reduction(encode_reduction(r)), r);
  r.iterations.reset();
  r.kept_iterations.clear();
  EXPECT_EQ(decode_reduction(encode_reduction(r)), r);
  EXPECT_FALSE(decode_reduction("{}").has_value());
  EXPECT_FALSE(decode_reduction("").has_value());
}

}  // namespace
}  // namespace heddle::test
