// The trace file: exact round trips, a bound on its size, and a loader that survives anything.
#include "store/store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "store/atomic_file.h"
#include "store/store_bytes.h"
#include "trace/hash.h"

namespace heddle::test {
namespace {

// Threads that lock, update a counter and unlock, switched now and then: loops with a few irregularities, as programs have.
Trace made_up_trace(size_t events, uint32_t threads = 4) {
  Trace::Data data;
  for (uint32_t i = 0; i < threads; ++i) {
    Thread t;
    t.id = i == 0 ? kMainThread : child_thread(kMainThread, i);
    t.birth = i;
    t.state = i % 2 == 0 ? ThreadState::kBlocked : ThreadState::kFinished;
    t.pending = Op::kMutexLock;
    t.object = make_object(ObjectKind::kGlobal, 0, 64);
    t.holder = i == 0 ? kNoIndex : 0;
    t.stack = {make_site(0, 16 * i), make_site(1, 32)};
    data.threads.push_back(t);
  }
  data.modules = {{"/some/where/prog", 0x555555554000}, {"/lib/libc.so.6", 0x7ffff7c00000}};
  data.objects.push_back({make_object(ObjectKind::kGlobal, 0, 64), 0, 64, 0, 0, 40, 0x555555558040});
  data.notes.push_back({make_site(0, 8), 3, "rdtsc is not controlled"});
  data.outcome.kind = OutcomeKind::kAssert;
  data.outcome.code = -6;
  data.outcome.message = "bank.cpp:6: balance >= 0";
  data.outcome.stack = {make_site(0, 100)};
  data.env_seed = 7;
  data.points = PointKind::kAll;
  data.skips.push_back({SkipKind::kThread, 0, child_thread(kMainThread, 9), 0, 0});
  InputLog inputs;
  inputs.files.push_back({"/some/where/config", 12, 1700000000000000000});
  inputs.calls.push_back({kMainThread, 0, Op::kConnect, -115, 3, ""});
  inputs.calls.push_back({kMainThread, 1, Op::kRead, 5, 4, std::string("a\0b\n\xff", 5)});
  inputs.lost = 2;
  data.inputs = std::make_shared<const InputLog>(inputs);
  std::vector<uint32_t> number(threads), at(threads);
  uint32_t current = 0;
  uint64_t balance = 100;
  for (size_t i = 0; i < events; ++i) {
    const bool switched = mix(3, i) % 7 == 0;
    if (switched) current = static_cast<uint32_t>(mix(5, i) % threads);
    const uint32_t phase = at[current]++ % 4;
    constexpr Op kBody[] = {Op::kMutexLock, Op::kLoad, Op::kStore, Op::kMutexUnlock};
    Event e{};
    e.thread = current;
    e.number = ++number[current];
    e.op = kBody[phase];
    e.flags = switched ? kPreviousReady : 0;
    e.size = is_memory(e.op) ? 4 : 0;
    e.object = make_object(ObjectKind::kHeap, current, phase == 1 || phase == 2 ? mix(11, at[current] / 64) % 32 : 99, 8);
    e.site = make_site(0, 1000 + phase * 5);
    if (phase == 2) balance += mix(13, i) % 50;
    e.value = is_memory(e.op) ? balance : 0;
    data.events.push_back(e);
  }
  data.executed = events;
  return Trace(std::move(data));
}

void expect_equal(const Trace& a, const Trace& b) {
  std::string why;
  EXPECT_EQ(first_difference(a, b, &why), kNoDifference) << why;
  EXPECT_EQ(encode_trace(a), encode_trace(b));
  EXPECT_EQ(a.outcome(), b.outcome());
  EXPECT_EQ(a.counts(), b.counts());
  EXPECT_EQ(signature(a), signature(b));
}

std::string complaint_about(std::string_view bytes) {
  try {
    decode_trace(bytes, "x.trace");
  } catch (const TraceFileError& error) {
    return error.what();
  }
  return {};
}

TEST(Store, GivesBackWhatItWasGiven) {
  for (size_t events : {0, 1, 2, 100, 5000}) {
    const Trace trace = made_up_trace(events);
    const Trace again = decode_trace(encode_trace(trace), "x");
    expect_equal(trace, again);
    ASSERT_EQ(again.threads().size(), trace.threads().size());
    EXPECT_EQ(again.threads()[2].stack, trace.threads()[2].stack);
    EXPECT_EQ(again.threads()[1].holder, 0u);
    EXPECT_EQ(again.threads()[0].holder, kNoIndex);
    EXPECT_EQ(again.modules()[1].path, "/lib/libc.so.6");
    EXPECT_EQ(again.notes()[0].text, "rdtsc is not controlled");
    EXPECT_EQ(again.data().skips.size(), 1u);
    EXPECT_EQ(again.data().points, PointKind::kAll);
    ASSERT_EQ(again.inputs().files.size(), 1u);
    EXPECT_EQ(again.inputs().files[0].path, "/some/where/config");
    ASSERT_EQ(again.inputs().calls.size(), 2u);
    EXPECT_EQ(again.inputs().calls[0].result, -115);
    EXPECT_EQ(again.inputs().calls[1].bytes, std::string("a\0b\n\xff", 5));
    EXPECT_EQ(again.inputs().lost, 2u);
  }
}

TEST(Store, KeepsExtremeValues) {
  Trace::Data data;
  data.threads.resize(1);
  data.threads[0].id = kMainThread;
  for (uint64_t value : {uint64_t{0}, ~uint64_t{0}, uint64_t{1} << 63, uint64_t{1}, ~uint64_t{0} >> 1}) {
    Event e{};
    e.op = Op::kStore;
    e.value = e.object = e.site = value;
    e.number = static_cast<uint32_t>(value);
    e.size = static_cast<uint32_t>(value);
    e.flags = static_cast<uint16_t>(value);
    data.events.push_back(e);
  }
  const Trace trace(std::move(data));
  const Trace again = decode_trace(encode_trace(trace), "x");
  ASSERT_EQ(again.events().size(), trace.events().size());
  EXPECT_EQ(std::memcmp(again.events().data(), trace.events().data(), trace.events().size_bytes()), 0);
}

TEST(Store, TakesAtMostFourBytesAnEvent) {
  const size_t events = 200'000;
  EXPECT_LE(encode_trace(made_up_trace(events)).size(), 4 * events);
}

TEST(Store, RefusesEveryTruncation) {
  const std::string whole = encode_trace(made_up_trace(300));
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_NE(complaint_about(std::string_view(whole).substr(0, size)), "") << size;
  EXPECT_NE(complaint_about(whole + "x"), "");
}

TEST(Store, RefusesEveryFlippedBit) {
  const std::string whole = encode_trace(made_up_trace(300));
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_NE(complaint_about(flipped), "") << bit;
  }
}

TEST(Store, TellsForeignAndLaterFiles) {
  EXPECT_EQ(complaint_about(""), "x.trace is not a heddle trace");
  EXPECT_EQ(complaint_about("#!/bin/sh\necho this is something else entirely\n"), "x.trace is not a heddle trace");
  std::string later = encode_trace(made_up_trace(3));
  later[8] = 99;
  EXPECT_EQ(complaint_about(later), "x.trace was written by a later version of heddle");
  EXPECT_EQ(complaint_about(encode_trace(made_up_trace(3)).substr(0, 20)), "x.trace is truncated");
}

// Behind the checksum the decoder must not trust its input either: every byte of the contents is replaced, with a valid frame
// and checksum around it. Each file loads or is refused; nothing else happens.
TEST(Store, SurvivesContentsThatMakeNoSense) {
  const Trace trace = made_up_trace(60);
  const std::string raw = uncompressed_for_test(encode_trace(trace));
  size_t refused = 0;
  for (size_t at = 0; at < raw.size(); ++at) {
    for (int value : {0x00, 0x01, 0x7F, 0x80, 0xFF, raw[at] ^ 1, raw[at] + 1}) {
      std::string changed = raw;
      changed[at] = static_cast<char>(value);
      refused += complaint_about(compressed_for_test(changed)).empty() ? 0 : 1;
    }
    refused += complaint_about(compressed_for_test(raw.substr(0, at))).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, raw.size());
  for (uint64_t i = 0; i < 3000; ++i) {
    std::string noise(mix(i, 1) % 200, '\0');
    for (size_t j = 0; j < noise.size(); ++j) noise[j] = static_cast<char>(mix(i, j + 2));
    complaint_about(compressed_for_test(noise));
  }
}

// A file of ten kilobytes that holds eighty megabytes of zeros is what only an attacker writes; what really compresses so well is stored larger.
TEST(Store, RefusesASmallFileThatUnpacksToMuch) {
  const std::string contents(80 << 20, '\0');
  const std::string stored = compressed_for_test(contents);
  EXPECT_EQ(uncompressed_for_test(stored).size(), contents.size());
  constexpr size_t kHeader = 40, kSizeField = 24, kChecksumField = 32;
  std::string bomb = stored.substr(0, stored.size() - contents.size() / 1000 - 8);
  const uint64_t size = bomb.size() - kHeader;
  std::memcpy(bomb.data() + kSizeField, &size, sizeof size);
  const uint64_t checksum = hash_bytes(bomb.data() + kHeader, size, hash_bytes(bomb.data(), kChecksumField));
  std::memcpy(bomb.data() + kChecksumField, &checksum, sizeof checksum);
  ASSERT_LT(bomb.size(), 20'000u);
  EXPECT_NE(complaint_about(bomb).find("claim to hold"), std::string::npos) << complaint_about(bomb);
}

class Files : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("heddle-store-" + std::to_string(::getpid()));
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  std::filesystem::path directory_;
};

TEST_F(Files, AreReplacedAsAWhole) {
  save_trace(made_up_trace(10), path("a.trace"));
  save_trace(made_up_trace(20), path("a.trace"));
  EXPECT_EQ(load_trace(path("a.trace")).events().size(), 20u);
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory_)) ++files;
  EXPECT_EQ(files, 1u) << "nothing may be left beside it";
}

TEST_F(Files, MissingOrUnreadableIsOneSentence) {
  EXPECT_THROW(load_trace(path("none.trace")), TraceFileError);
  EXPECT_THROW(load_trace(directory_.string()), TraceFileError);
  EXPECT_THROW(save_trace(made_up_trace(1), path("no/such/directory/a.trace")), Error);
}

// A limit on the size of files stands in for the disk that is full.
TEST_F(Files, AFullDiskLosesNothing) {
  replace_file(path("kept"), "old");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 50'000;
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(replace_file(path("kept"), std::string(100'000, 'x')), Error);
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_file(path("kept")), "old");
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory_)) ++files;
  EXPECT_EQ(files, 1u);
}

// `heddle run --save /dev/null` by root must leave the device where it is.
TEST_F(Files, APipeIsWrittenToAndStaysAPipe) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = ::open(path("pipe").c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  replace_file(path("pipe"), "said");
  struct stat after {};
  EXPECT_EQ(::lstat(path("pipe").c_str(), &after), 0);
  EXPECT_TRUE(S_ISFIFO(after.st_mode));
  char bytes[8];
  EXPECT_EQ(::read(reader, bytes, sizeof bytes), 4);
  ::close(reader);
}

}  // namespace
}  // namespace heddle::test
