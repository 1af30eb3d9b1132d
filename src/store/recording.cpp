#include "store/recording.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "store/atomic_file.h"
#include "store/root.h"
#include "store/store.h"
#include "trace/hash.h"
#include "wire/version.h"

namespace heddle::store {

namespace {

namespace fs = std::filesystem;

constexpr char kSegmentMagic[8] = {'h', 'e', 'd', 'l', 'o', 'g', '\r', '\n'};
constexpr uint32_t kSegmentVersion = 1;
constexpr uint64_t kSegmentBytes = uint64_t{64} << 20;
constexpr uint64_t kLargestBlock = uint64_t{256} << 20;  // unpacked
constexpr int kStreamCompression = 1;                    // while the program waits for its core

struct SegmentHeader {
  char magic[8];
  uint32_t version;
  uint32_t wire_version;
};

enum BlockKind : uint32_t { kTablesBlock = 1, kInputsBlock = 2, kEventsBlock = 3, kEndBlock = 4 };

struct BlockHeader {
  uint32_t kind;
  uint32_t index;     // among all blocks of the recording
  uint64_t first;     // kEventsBlock: number of the first one. kEndBlock: how many events count
  uint64_t raw;       // bytes
  uint64_t packed;    // bytes that follow
  uint64_t checksum;  // of the fields before and of what follows
};
static_assert(sizeof(BlockHeader) == 40);

uint64_t checksum_of(const BlockHeader& header, std::string_view packed) {
  return hash_bytes(packed.data(), packed.size(), hash_bytes(&header, offsetof(BlockHeader, checksum)));
}

[[noreturn]] void cannot(const char* what, const std::string& path) {
  throw RecordingError(fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

void write_all(int file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) cannot("write", path);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

std::string segment_path(const std::string& directory, uint32_t number) { return fmt::format("{}/segment.{:04}", directory, number); }

}  // namespace

RecordingWriter::RecordingWriter(std::string directory, std::string_view start) : directory_(std::move(directory)) {
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
  SegmentHeader header{};
  std::memcpy(header.magic, kSegmentMagic, sizeof kSegmentMagic);
  header.version = kSegmentVersion;
  header.wire_version = kWireVersion;
  write_all(file_, {reinterpret_cast<const char*>(&header), sizeof header}, path);
  in_segment_ = sizeof header;
  bytes_ += sizeof header;
}

void RecordingWriter::block(uint32_t kind, uint64_t first, std::string_view raw) {
  if (in_segment_ >= kSegmentBytes) open_segment();
  std::string packed(sizeof(BlockHeader) + ZSTD_compressBound(raw.size()), '\0');
  const size_t size =
      ZSTD_compress(packed.data() + sizeof(BlockHeader), packed.size() - sizeof(BlockHeader), raw.data(), raw.size(), kStreamCompression);
  if (ZSTD_isError(size) != 0) throw RecordingError(fmt::format("cannot compress a recording: {}", ZSTD_getErrorName(size)));
  packed.resize(sizeof(BlockHeader) + size);
  BlockHeader header{kind, blocks_++, first, raw.size(), size, 0};
  header.checksum = checksum_of(header, std::string_view(packed).substr(sizeof header));
  std::memcpy(packed.data(), &header, sizeof header);
  write_all(file_, packed, segment_path(directory_, segments_ - 1));
  in_segment_ += packed.size();
  bytes_ += packed.size();
}

void RecordingWriter::tables(const Trace& without_events) { block(kTablesBlock, 0, encode_trace(without_events)); }
void RecordingWriter::inputs(std::string_view records) { block(kInputsBlock, 0, records); }
void RecordingWriter::events(uint64_t first, std::span<const Event> events) {
  block(kEventsBlock, first, {reinterpret_cast<const char*>(events.data()), events.size_bytes()});
}
void RecordingWriter::settle() {
  if (::fdatasync(file_) != 0 && errno != EINVAL) cannot("write", segment_path(directory_, segments_ - 1));
}
void RecordingWriter::finish(const Trace& without_events, uint64_t events) {
  block(kEndBlock, events, encode_trace(without_events));
  settle();
}

namespace {

// The blocks of a recording, one after the other, up to the first that is not whole.
class BlockReader {
 public:
  explicit BlockReader(std::string directory) : directory_(std::move(directory)) {}

  bool next(BlockHeader* header, std::string* raw) {
    while (at_ == bytes_.size()) {
      if (!open_next()) return false;
    }
    if (bytes_.size() - at_ < sizeof *header) return broken("ends in the middle of a block");
    std::memcpy(header, bytes_.data() + at_, sizeof *header);
    const std::string_view packed = std::string_view(bytes_).substr(at_ + sizeof *header);
    if (header->packed > packed.size()) return broken("ends in the middle of a block");
    const std::string_view body = packed.substr(0, header->packed);
    if (header->index != blocks_ || header->checksum != checksum_of(*header, body)) return broken("is damaged");
    if (header->raw > kLargestBlock || ZSTD_getFrameContentSize(body.data(), body.size()) != header->raw) return broken("is damaged");
    raw->resize(header->raw);
    const size_t size = ZSTD_decompress(raw->data(), raw->size(), body.data(), body.size());
    if (ZSTD_isError(size) != 0 || size != raw->size()) return broken("is damaged");
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
      if (segments_ == 0)
        throw RecordingError(fmt::format("{} is no recording: it has no {}", directory_, fs::path(path_).filename().string()));
      return false;
    }
    bytes_ = read_file(path_);
    at_ = sizeof(SegmentHeader);
    ++segments_;
    SegmentHeader header{};
    if (bytes_.size() < sizeof header) {
      bytes_.clear();
      at_ = 0;
      return broken("ends in its first bytes");
    }
    std::memcpy(&header, bytes_.data(), sizeof header);
    if (std::memcmp(header.magic, kSegmentMagic, sizeof kSegmentMagic) != 0)
      throw RecordingError(fmt::format("{} is no part of a recording", path_));
    if (header.version != kSegmentVersion || header.wire_version != kWireVersion) {
      throw RecordingError(fmt::format("{} was written by another version of heddle", path_));
    }
    return true;
  }

  std::string directory_, path_, bytes_, complaint_;
  size_t at_ = 0;
  uint32_t segments_ = 0;
  uint32_t blocks_ = 0;
};

struct Parts {
  Trace tables;
  std::vector<Event> events;
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
      if (parts.finished && header.first < parts.events.size()) parts.events.resize(header.first);
      return true;
    case kInputsBlock: add_inputs(raw.data(), raw.size(), parts.inputs); return true;
    case kEventsBlock: {
      if (header.first != parts.events.size() || raw.size() % sizeof(Event) != 0) return false;
      const size_t before = parts.events.size();
      parts.events.resize(before + raw.size() / sizeof(Event));
      std::memcpy(parts.events.data() + before, raw.data(), raw.size());
      return true;
    }
    default: return false;
  }
}

}  // namespace

Recording load_recording(const std::string& directory) {
  Recording recording;
  recording.start = read_file(directory + "/start");
  BlockReader reader(directory);
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
  if (parts.events.empty())
    throw RecordingError(fmt::format("{} holds nothing yet: the program did not get as far as a thread", directory));
  sort_inputs(parts.inputs);
  parts.inputs.files = data.inputs->files;
  parts.inputs.lost = data.inputs->lost;
  data.events = std::move(parts.events);
  data.inputs = std::make_shared<const InputLog>(std::move(parts.inputs));
  data.executed = parts.finished ? std::max<uint64_t>(data.executed, data.events.size()) : data.events.size();
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
