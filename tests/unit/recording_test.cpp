// Recordings that are written while their program runs: what is left of one after any crash can be read.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "store/atomic_file.h"
#include "store/packed_events.h"
#include "store/recording.h"
#include "wire/channel.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kEventCount = 1000;

Trace tables_of(uint32_t threads) {
  Trace::Data data;
  for (uint32_t i = 0; i < threads; ++i) {
    Thread t;
    t.id = 100 + i;
    t.birth = i + 1;
    data.threads.push_back(t);
  }
  data.outcome.kind = OutcomeKind::kAbort;
  data.executed = kEventCount;
  return Trace(std::move(data));
}

std::vector<Event> events_of(uint64_t first, uint64_t count) {
  std::vector<Event> events(count);
  for (uint64_t i = 0; i < count; ++i) {
    events[i].thread = static_cast<uint32_t>((first + i) / 100 % 2);
    events[i].op = Op::kYield;
    events[i].value = first + i;
  }
  return events;
}

std::string record_of(ThreadId thread, uint32_t ordinal, const std::string& bytes) {
  InputRecord r{};
  r.kind = InputKind::kCall;
  r.size = static_cast<uint32_t>(bytes.size());
  r.thread = thread;
  r.ordinal = ordinal;
  r.op = Op::kRead;
  std::string all(reinterpret_cast<const char*>(&r), sizeof r);
  all += bytes;
  all.resize(input_record_bytes(bytes.size()));
  return all;
}

class Recordings : public testing::Test {
 protected:
  Recordings() : root_(fs::temp_directory_path() / ("heddle-recording." + std::to_string(::getpid()))) { fs::remove_all(root_); }
  ~Recordings() override { fs::remove_all(root_); }

  // Ten parts of a hundred events each, with an input before each part.
  std::string written(bool finished) {
    std::string directory = (root_ / "one").string();
    RecordingWriter writer(directory, "{}");
    for (uint32_t part = 0; part < 10; ++part) {
      writer.tables(tables_of(2));
      writer.inputs(record_of(100 + part % 2, part / 2, "hello " + std::to_string(part)));
      writer.events(part * 100, events_of(part * 100, 100));
      writer.settle();
    }
    if (finished) writer.finish(tables_of(2), kEventCount - 50);
    return directory;
  }

  fs::path root_;
};

TEST_F(Recordings, GiveBackWhatWasWritten) {
  const Recording got = load_recording(written(true));
  EXPECT_TRUE(got.finished);
  EXPECT_EQ(got.complaint, "");
  ASSERT_EQ(got.trace.events().size(), kEventCount - 50);
  EXPECT_EQ(got.trace.events().back().value, kEventCount - 51);
  EXPECT_EQ(got.trace.outcome().kind, OutcomeKind::kAbort);
  ASSERT_EQ(got.trace.inputs().calls.size(), 10u);
  EXPECT_EQ(got.trace.inputs().calls[1].bytes, "hello 2");  // by thread, then by number
}

// Threads that go round in loops of their own, with something else now and then.
std::vector<Event> looping_events(uint64_t count) {
  std::vector<Event> events(count);
  uint32_t numbers[5] = {};
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t draw = mix(7, i);
    Event& e = events[i];
    e.thread = static_cast<uint32_t>(mix(3, i / 20) % 5);
    e.number = ++numbers[e.thread];
    if (draw % 97 == 0) numbers[e.thread] += 3;
    e.op = e.number % 2 != 0 ? Op::kMutexLock : Op::kMutexUnlock;
    e.site = 0x123456789ABCDEF0 + e.number % 6;
    e.object = mix(1, e.number % 3);
    e.value = e.number % 6 == 0 ? i : 0;
    if (draw % 31 == 0) e.flags = kPreviousReady;
    if (draw % 53 == 0) e.value = draw;
    if (draw % 71 == 0) e.size = static_cast<uint32_t>(draw);
  }
  return events;
}

TEST(PackedEvents, AreTheEventsAgain) {
  for (const uint64_t count : {0, 1, 2, 5000}) {
    const std::vector<Event> events = looping_events(count);
    const std::string packed = pack_events(events);
    std::vector<Event> got;
    ASSERT_TRUE(unpack_events(packed, got)) << count;
    ASSERT_EQ(got.size(), events.size());
    for (uint64_t i = 0; i < count; ++i) ASSERT_EQ(std::memcmp(&got[i], &events[i], offsetof(Event, flags)), 0) << i;
    for (uint64_t i = 0; i < count; ++i) {
      ASSERT_EQ(got[i].flags, events[i].flags) << i;
      ASSERT_EQ(got[i].size, events[i].size) << i;
      ASSERT_EQ(got[i].object, events[i].object) << i;
      ASSERT_EQ(got[i].site, events[i].site) << i;
      ASSERT_EQ(got[i].value, events[i].value) << i;
    }
    EXPECT_LE(packed.size(), 100 + count * 8);
  }
}

TEST(PackedEvents, AreRefusedWhereTheyAreDamaged) {
  const std::string packed = pack_events(looping_events(500));
  std::vector<Event> got;
  for (size_t length = 0; length < packed.size(); length += 13) EXPECT_FALSE(unpack_events(packed.substr(0, length), got)) << length;
  for (size_t at = 0; at < packed.size(); at += 7) {
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xFF);
    got.clear();
    unpack_events(damaged, got);
    EXPECT_LE(got.size(), kStreamEvents);
  }
}

// A thread that no run can have: what the target has scribbled there. The block keeps it, and the reader ends before it.
TEST_F(Recordings, EndBeforeAnUnknownThread) {
  const std::string directory = (root_ / "one").string();
  RecordingWriter writer(directory, "{}");
  writer.tables(tables_of(2));
  writer.events(0, events_of(0, 100));
  std::vector<Event> scribbled = events_of(100, 100);
  scribbled[50].thread = ~uint32_t{0};
  writer.events(100, scribbled);
  EXPECT_EQ(load_recording(directory).trace.events().size(), 150u);
}

TEST_F(Recordings, AreForTheirOwnerAlone) {
  const std::string directory = written(true);
  for (const char* name : {"/start", "/segment.0000"}) {
    struct stat status {};
    ASSERT_EQ(::stat((directory + name).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u) << name;
  }
}

TEST_F(Recordings, EndWhereTheyWereCut) {
  const std::string directory = written(false);
  const std::string whole = read_file(directory + "/segment.0000");
  size_t most = 0;
  for (size_t length = 16; length <= whole.size(); length += 37) {
    replace_file(directory + "/segment.0000", whole.substr(0, length));
    try {
      const Recording got = load_recording(directory);
      EXPECT_FALSE(got.finished);
      EXPECT_EQ(got.trace.events().size() % 100, 0u);
      EXPECT_GE(got.trace.events().size(), most);
      most = got.trace.events().size();
      // What an event got from outside is there whenever the event is.
      EXPECT_GE(got.trace.inputs().calls.size(), most / 100);
    } catch (const RecordingError& error) {
      EXPECT_EQ(most, 0u) << error.what();
    }
  }
  EXPECT_GE(most, kEventCount - 100);
}

TEST_F(Recordings, EndBeforeWhatIsDamaged) {
  const std::string directory = written(true);
  std::string bytes = read_file(directory + "/segment.0000");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  replace_file(directory + "/segment.0000", bytes);
  const Recording got = load_recording(directory);
  EXPECT_FALSE(got.finished);
  EXPECT_NE(got.complaint.find("is damaged: what was recorded before that is kept"), std::string::npos) << got.complaint;
  EXPECT_LT(got.trace.events().size(), kEventCount - 50);
}

TEST_F(Recordings, SayInOneSentenceWhatIsWrong) {
  const std::string directory = written(true);
  std::string bytes = read_file(directory + "/segment.0000");
  bytes[8] = 99;
  replace_file(directory + "/segment.0000", bytes);
  EXPECT_THROW(load_recording(directory), RecordingError);
  fs::remove(directory + "/segment.0000");
  EXPECT_THROW(load_recording(directory), RecordingError);
  EXPECT_THROW(RecordingWriter(directory, "{}"), RecordingError);
}

}  // namespace
}  // namespace heddle::test
