#include "store/recording.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "store/atomic_file.h"
#include "store/blocks.h"
#include "store/checkpoint_file.h"
#include "store/packed_events.h"
#include "store/root.h"
#include "store/store.h"
#include "wire/version.h"

namespace heddle::store {

namespace {

namespace fs = std::filesystem;

constexpr char kSegmentMagic[9] = "hedlog\r\n";
constexpr uint32_t kSegmentVersion = 2;
constexpr uint32_t kOldestSegmentVersion = 1;  // without packed events
constexpr uint64_t kSegmentBytes = uint64_t{64} << 20;

enum BlockKind : uint32_t { kTablesBlock = 1, kInputsBlock = 2, kEventsBlock = 3, kEndBlock = 4, kPackedEventsBlock = 5 };

[[noreturn]] void cannot(const char* what, const std::string& path) {
  throw RecordingError(fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

std::string segment_path(const std::string& directory, uint32_t number) { return fmt::format("{}/segment.{:04}", directory, number); }
std::string checkpoint_path(const std::string& directory, uint32_t number) { return fmt::format("{}/checkpoint.{:04}", directory, number); }

uint64_t size_of(const std::string& path) {
  std::error_code failure;
  const uint64_t size = fs::file_size(path, failure);
  return failure ? 0 : size;
}

// The numbers of the files of that name, in order.
std::vector<uint32_t> numbers_of(const std::string& directory, std::string_view name) {
  std::vector<uint32_t> numbers;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(directory, failure)) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with(name) || file.find_first_not_of("0123456789", name.size()) != std::string::npos || file.size() > name.size() + 9)
      continue;
    if (file.size() > name.size()) numbers.push_back(static_cast<uint32_t>(std::stoul(file.substr(name.size()))));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

RecordingWriter::RecordingWriter(std::string directory, std::string_view start, Retention retention)
    : directory_(std::move(directory)), retention_(retention) {
  make_directory(fs::path(directory_).parent_path().string());
  if (::mkdir(directory_.c_str(), 0700) != 0) cannot("create the directory", directory_);
  replace_file(directory_ + "/start", start);
  ::chmod((directory_ + "/start").c_str(), 0600);
  open_segment();
}

RecordingWriter::~RecordingWriter() {
  if (file_ >= 0) ::close(file_);
}

void RecordingWriter::open_segment() {
  if (file_ >= 0) {
    settle();
    ::close(file_);
  }
  const std::string path = segment_path(directory_, segments_);
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file_ < 0) cannot("write", path);
  ++segments_;
  const BlockFileHeader header = block_file_header(kSegmentMagic, kSegmentVersion);
  write_all(file_, {reinterpret_cast<const char*>(&header), sizeof header}, path);
  in_segment_ = sizeof header;
  bytes_ += sizeof header;
}

void RecordingWriter::block(uint32_t kind, uint64_t first, std::string_view raw) {
  if (in_segment_ >= kSegmentBytes) open_segment();
  const std::string packed = pack_block(kind, blocks_++, first, raw);
  write_all(file_, packed, segment_path(directory_, segments_ - 1));
  in_segment_ += packed.size();
  bytes_ += packed.size();
}

void RecordingWriter::tables(const Trace& without_events) {
  originals_.hold(without_events.inputs());
  block(kTablesBlock, 0, encode_trace(without_events));
}
void RecordingWriter::inputs(std::string_view records) { block(kInputsBlock, 0, records); }
void RecordingWriter::events(uint64_t first, std::span<const Event> events) {
  const std::string packed = pack_events(events);
  if (packed.empty()) return block(kEventsBlock, first, {reinterpret_cast<const char*>(events.data()), events.size_bytes()});
  block(kPackedEventsBlock, first, packed);
}
void RecordingWriter::settle() {
  if (::fdatasync(file_) != 0 && errno != EINVAL) cannot("write", segment_path(directory_, segments_ - 1));
  drop_old();
}

// Everything that follows it lies in the segment that begins now, or in later ones.
std::unique_ptr<CheckpointSink> RecordingWriter::next_checkpoint() {
  open_segment();
  asked_.push_back({segments_ - 1, std::chrono::steady_clock::now()});
  return std::make_unique<CheckpointWriter>(checkpoint_path(directory_, segments_ - 1));
}

uint64_t RecordingWriter::bytes_from(uint32_t segment) const {
  uint64_t bytes = 0;
  for (uint32_t i = segment; i < segments_; ++i) bytes += size_of(segment_path(directory_, i)) + size_of(checkpoint_path(directory_, i));
  return bytes;
}

// The newest place to begin from that leaves as much as was asked for goes first; of bytes, the oldest that leaves no more.
void RecordingWriter::drop_old() {
  if (!retention_.time && !retention_.bytes) return;
  const auto now = std::chrono::steady_clock::now();
  uint32_t wanted = first_;
  for (const Asked& a : asked_) {
    if (size_of(checkpoint_path(directory_, a.segment)) == 0) continue;
    const bool old = retention_.time && now - a.when >= *retention_.time;
    const bool large = retention_.bytes && bytes_from(wanted) > *retention_.bytes;
    if (old || large) wanted = a.segment;
  }
  for (; first_ < wanted; ++first_) {
    ::unlink(checkpoint_path(directory_, first_).c_str());
    ::unlink(segment_path(directory_, first_).c_str());
  }
  while (!asked_.empty() && asked_.front().segment < first_) asked_.pop_front();
}
void RecordingWriter::finish(const Trace& without_events, uint64_t events) {
  block(kEndBlock, events, encode_trace(without_events));
  settle();
}

namespace {

// The blocks of a recording, one after the other, up to the first that is not whole.
class BlockReader {
 public:
  BlockReader(std::string directory, uint32_t first_segment)
      : directory_(std::move(directory)), segments_(first_segment), blocks_(first_segment == 0 ? 0 : kFromHere) {}

  bool next(BlockHeader* header, std::string* raw) {
    while (at_ == bytes_.size()) {
      if (!open_next()) return false;
    }
    if (blocks_ == kFromHere && bytes_.size() - at_ >= sizeof *header) {
      std::memcpy(header, bytes_.data() + at_, sizeof *header);
      blocks_ = header->index;
    }
    if (const char* wrong = unpack_block(std::string_view(bytes_).substr(at_), blocks_, header, raw)) return broken(wrong);
    at_ += sizeof *header + header->packed;
    ++blocks_;
    return true;
  }
  const std::string& complaint() const { return complaint_; }

 private:
  bool broken(const char* what) {
    complaint_ = fmt::format("{} {}: what was recorded before that is kept", path_, what);
    return false;
  }
  bool open_next() {
    path_ = segment_path(directory_, segments_);
    if (!fs::exists(path_)) {
      if (bytes_.empty())
        throw RecordingError(fmt::format("{} is not a recording: it has no {}", directory_, fs::path(path_).filename().string()));
      return false;
    }
    bytes_ = read_file(path_);
    at_ = sizeof(BlockFileHeader);
    ++segments_;
    BlockFileHeader header{};
    if (bytes_.size() < sizeof header) {
      bytes_.clear();
      at_ = 0;
      return broken("ends in its first bytes");
    }
    std::memcpy(&header, bytes_.data(), sizeof header);
    if (std::memcmp(header.magic, kSegmentMagic, sizeof header.magic) != 0)
      throw RecordingError(fmt::format("{} is not part of a recording", path_));
    if (header.version < kOldestSegmentVersion || header.version > kSegmentVersion || header.wire_version != kWireVersion) {
      throw RecordingError(fmt::format("{} was written by another version of heddle", path_));
    }
    return true;
  }

  std::string directory_, path_, bytes_, complaint_;
  size_t at_ = 0;
  static constexpr uint32_t kFromHere = ~uint32_t{0};  // the number of the first block is not known
  uint32_t segments_;
  uint32_t blocks_;
};

struct Parts {
  Trace tables;
  std::optional<uint64_t> first;  // events before them
  LongRows<Event> events;
  InputLog inputs;
  bool finished = false;
};

// False: it does not follow what came before.
bool add(Parts& parts, const BlockHeader& header, const std::string& raw, const std::string& directory) {
  switch (header.kind) {
    case kEndBlock:
    case kTablesBlock:
      parts.tables = decode_trace(raw, directory);
      parts.finished = header.kind == kEndBlock;
      if (parts.finished && header.first < parts.first.value_or(0) + parts.events.size())
        parts.events.resize(header.first - std::min(header.first, parts.first.value_or(0)));
      return true;
    case kInputsBlock: add_inputs(raw.data(), raw.size(), parts.inputs); return true;
    case kEventsBlock: {
      if (!parts.first) parts.first = header.first;
      if (header.first != *parts.first + parts.events.size() || raw.size() % sizeof(Event) != 0) return false;
      const size_t before = parts.events.size();
      parts.events.resize(before + raw.size() / sizeof(Event));
      std::memcpy(parts.events.data() + before, raw.data(), raw.size());
      return true;
    }
    case kPackedEventsBlock: {
      if (!parts.first) parts.first = header.first;
      std::vector<Event> events;
      if (header.first != *parts.first + parts.events.size() || !unpack_events(raw, events)) return false;
      const size_t before = parts.events.size();
      parts.events.resize(before + events.size());
      std::copy(events.begin(), events.end(), parts.events.begin() + static_cast<std::ptrdiff_t>(before));
      return true;
    }
    default: return false;
  }
}

}  // namespace

namespace {

// Where a recording can be read from: its start, or the first checkpoint of which everything that follows is there.
struct Beginning {
  uint32_t segment = 0;
  uint64_t step = 0;
  std::string complaint;
};
Beginning beginning_of(const std::string& directory) {
  const std::vector<uint32_t> segments = numbers_of(directory, "segment.");
  Beginning beginning;
  if (segments.empty() || segments.front() == 0) return beginning;
  for (const uint32_t number : numbers_of(directory, "checkpoint.")) {
    if (number < segments.front()) continue;
    try {
      beginning.step = CheckpointReader(checkpoint_path(directory, number)).checkpoint().step;
      beginning.segment = number;
      return beginning;
    } catch (const Error& error) {
      beginning.complaint = error.what();
    }
  }
  throw RecordingError(fmt::format("{} has lost its beginning, and no checkpoint is left to go on from{}", directory,
                                   beginning.complaint.empty() ? "" : ": " + beginning.complaint));
}

std::vector<std::string> checkpoints_of(const std::string& directory, uint32_t first_segment) {
  std::vector<std::string> paths;
  for (const uint32_t number : numbers_of(directory, "checkpoint.")) {
    if (number >= first_segment) paths.push_back(checkpoint_path(directory, number));
  }
  return paths;
}

}  // namespace

Recording load_recording(const std::string& directory) {
  Recording recording;
  recording.start = read_file(directory + "/start");
  const Beginning beginning = beginning_of(directory);
  recording.checkpoints = checkpoints_of(directory, beginning.segment);
  BlockReader reader(directory, beginning.segment);
  Parts parts;
  BlockHeader header{};
  std::string raw;
  while (reader.next(&header, &raw)) {
    if (!add(parts, header, raw, directory)) {
      recording.complaint = fmt::format("{} has a gap: what was recorded before that is kept", directory);
      break;
    }
  }
  if (recording.complaint.empty()) recording.complaint = reader.complaint();
  Trace::Data data = parts.tables.data();
  const size_t threads = data.threads.size();
  const auto unknown = std::find_if(parts.events.begin(), parts.events.end(),
                                    [&](const Event& e) { return e.thread >= threads || static_cast<uint16_t>(e.op) >= kOpCount; });
  parts.events.erase(unknown, parts.events.end());
  // Those between the request for a checkpoint and the checkpoint.
  const uint64_t first = parts.first.value_or(0);
  const uint64_t before = std::min<uint64_t>(beginning.step - std::min(beginning.step, first), parts.events.size());
  parts.events.erase(parts.events.begin(), parts.events.begin() + static_cast<std::ptrdiff_t>(before));
  data.first = first + before;
  if (parts.events.empty()) throw RecordingError(fmt::format("{} holds nothing yet: the program has not created a thread", directory));
  sort_inputs(parts.inputs);
  parts.inputs.files = data.inputs->files;
  parts.inputs.lost = data.inputs->lost;
  data.events = std::move(parts.events);
  data.inputs = std::make_shared<const InputLog>(std::move(parts.inputs));
  const uint64_t end = data.first + data.events.size();
  data.executed = parts.finished ? std::max<uint64_t>(data.executed, end) : end;
  recording.finished = parts.finished;
  recording.trace = Trace(std::move(data));
  return recording;
}

std::string recording_directory(const std::string& id) { return store_root() + "/.heddle/recordings/" + id; }

std::vector<std::string> list_recordings() {
  std::vector<std::string> found;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(recording_directory(""), failure)) {
    if (entry.is_directory(failure)) found.push_back(entry.path().filename().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

void remove_recording(const std::string& directory) {
  std::error_code failure;
  fs::remove_all(directory, failure);
  // And what was made for it alone: a directory that is not empty stays.
  fs::remove(fs::path(directory).parent_path(), failure);
  fs::remove(fs::path(directory).parent_path().parent_path(), failure);
}

}  // namespace heddle::store
