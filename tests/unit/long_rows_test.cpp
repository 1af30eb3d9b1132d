// Rows of long runs lie in files: they are as they were, and only the newest take memory.
#include "trace/long_rows.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <numeric>

namespace heddle::test {
namespace {

constexpr size_t kMany = 2 * trace::kLongRows / sizeof(uint64_t);

trace::LongRows<uint64_t> counted(uint64_t first) {
  trace::LongRows<uint64_t> rows(kMany);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

// Bytes of these rows that this process has mapped to memory.
size_t resident(const trace::LongRows<uint64_t>& rows) {
  std::FILE* const maps = std::fopen("/proc/self/smaps", "r");
  const auto wanted = reinterpret_cast<uintptr_t>(rows.data());
  char line[512];
  bool inside = false;
  size_t kilobytes = ~size_t{0};
  while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
    uintptr_t begin = 0, end = 0;
    if (std::sscanf(line, "%lx-%lx", &begin, &end) == 2) inside = begin <= wanted && wanted < end;
    if (inside && std::sscanf(line, "Rss: %zu", &kilobytes) == 1) break;
  }
  if (maps != nullptr) std::fclose(maps);
  return kilobytes << 10;
}

TEST(LongRows, OnlyTheNewestTakeMemoryAndNoneIsLost) {
  const trace::LongRows<uint64_t> first = counted(1);
  ASSERT_GE(resident(first), kMany * sizeof(uint64_t));
  const trace::LongRows<uint64_t> second = counted(1'000'000);
  EXPECT_EQ(resident(first), 0u);
  for (size_t i = 0; i < kMany; ++i) {
    ASSERT_EQ(first[i], 1 + i);
    ASSERT_EQ(second[i], 1'000'000 + i);
  }
}

TEST(LongRows, GrowAndAreCopiedLikeAnyVector) {
  trace::LongRows<uint64_t> rows;
  for (uint64_t i = 0; i < kMany; ++i) rows.push_back(i);
  trace::LongRows<uint64_t> copy = rows;
  rows.clear();
  rows.shrink_to_fit();
  for (size_t i = 0; i < kMany; ++i) ASSERT_EQ(copy[i], i);
  copy.resize(3);
  copy.shrink_to_fit();
  EXPECT_EQ(copy, (trace::LongRows<uint64_t>{0, 1, 2}));
}

TEST(LongRows, WithoutAPlaceForFilesTheyLieInMemory) {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("TMPDIR", "/nowhere/at/all", 1);
  const trace::LongRows<uint64_t> rows = counted(7);
  EXPECT_EQ(trace::map_long_rows(trace::kLongRows), nullptr);
  before != nullptr ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
  for (size_t i = 0; i < kMany; ++i) ASSERT_EQ(rows[i], 7 + i);
}

}  // namespace
}  // namespace heddle::test
