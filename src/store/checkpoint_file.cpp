#include "store/checkpoint_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sodium.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "store/blocks.h"
#include "store/store_bytes.h"

namespace heddle::store {

namespace {

constexpr char kMagic[9] = "hedckp\r\n";
constexpr uint32_t kVersion = 1;
constexpr size_t kBlockBytes = size_t{4} << 20;
constexpr uint64_t kPage = 4096;
constexpr uint64_t kRoomForLog = uint64_t{8} << 20;  // of the disk: a recording without a checkpoint is worth more than the reverse

enum CheckpointBlock : uint32_t { kWhat = 1, kPages = 2, kEnd = 3 };

std::string encode(const Checkpoint& c) {
  ByteWriter out;
  for (uint64_t field : {c.step, c.clock_ns, c.real_ms, c.pause_us, c.mark, c.fs_base, c.program_break, c.vdso}) out.number(field);
  out.number(c.mappings.size());
  for (const MemoryMapping& m : c.mappings) {
    for (uint64_t field : {m.low, m.high, m.offset, m.size, m.changed}) out.number(field);
    out.text(m.flags);
    out.text(m.path);
  }
  return out.bytes();
}

bool decode(std::string_view bytes, Checkpoint& c) {
  ByteReader in(bytes);
  for (uint64_t* field : {&c.step, &c.clock_ns, &c.real_ms, &c.pause_us, &c.mark, &c.fs_base, &c.program_break, &c.vdso})
    *field = in.number();
  for (uint64_t i = in.count(); i > 0 && in.ok(); --i) {
    MemoryMapping m;
    for (uint64_t* field : {&m.low, &m.high, &m.offset, &m.size, &m.changed}) *field = in.number();
    m.flags = in.text();
    m.path = in.text();
    if (m.flags.size() < 4 || m.low >= m.high || m.low % kPage != 0 || m.high % kPage != 0) return false;
    c.mappings.push_back(std::move(m));
  }
  return in.ok();
}

bool read_exactly(int file, char* to, size_t bytes) {
  while (bytes > 0) {
    const ssize_t n = ::read(file, to, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

}  // namespace

CheckpointWriter::CheckpointWriter(std::string path) : path_(std::move(path)) {}

CheckpointWriter::~CheckpointWriter() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink((path_ + ".part").c_str());
}

void CheckpointWriter::block(uint32_t kind, std::string_view raw) {
  const std::string packed = pack_block(kind, blocks_++, 0, raw);
  struct statvfs disk {};
  if (::fstatvfs(file_, &disk) == 0 && disk.f_bavail * disk.f_frsize < packed.size() + kRoomForLog)
    throw Error(fmt::format("cannot write {}: {}; the space that is left is kept for the events", path_, std::strerror(ENOSPC)));
  write_all(file_, packed, path_);
}

void CheckpointWriter::begin(const Checkpoint& checkpoint) {
  file_ = ::open((path_ + ".part").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file_ < 0) throw Error(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
  const BlockFileHeader header = block_file_header(kMagic, kVersion);
  write_all(file_, {reinterpret_cast<const char*>(&header), sizeof header}, path_);
  block(kWhat, encode(checkpoint));
}

void CheckpointWriter::pages(uint64_t address, std::string_view bytes) {
  runs_.insert(runs_.end(), {address, bytes.size()});
  bytes_ += bytes;
  if (bytes_.size() >= kBlockBytes) flush();
}

// How many runs there are, the address and the size of each, and all their bytes.
void CheckpointWriter::flush() {
  if (runs_.empty()) return;
  ByteWriter head;
  head.number(runs_.size() / 2);
  for (uint64_t number : runs_) head.number(number);
  block(kPages, head.bytes() + bytes_);
  runs_.clear();
  bytes_.clear();
}

void CheckpointWriter::end() {
  flush();
  block(kEnd, "end");
  if (::fdatasync(file_) != 0 && errno != EINVAL) throw Error(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
  ::close(file_);
  file_ = -1;
  if (::rename((path_ + ".part").c_str(), path_.c_str()) != 0) throw Error(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
}

CheckpointReader::CheckpointReader(std::string path) : path_(std::move(path)), file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_ < 0) throw Error(fmt::format("the checkpoint {} cannot be read: {}", path_, std::strerror(errno)));
  const BlockFileHeader wanted = block_file_header(kMagic, kVersion);
  BlockFileHeader header{};
  if (!read_exactly(file_, reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.magic, wanted.magic, sizeof header.magic) != 0)
    throw Error(fmt::format("{} is not a checkpoint", path_));
  if (header.version != wanted.version || header.wire_version != wanted.wire_version)
    throw Error(fmt::format("{} was written by another version of heddle", path_));
  if (next() != kWhat || !decode(raw_, checkpoint_)) throw Error(fmt::format("{} is damaged", path_));
}

CheckpointReader::~CheckpointReader() {
  if (file_ >= 0) ::close(file_);
}

uint32_t CheckpointReader::next() {
  std::string bytes(sizeof(BlockHeader), '\0');
  BlockHeader header{};
  if (!read_exactly(file_, bytes.data(), bytes.size())) throw Error(fmt::format("{} is incomplete", path_));
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.packed > (uint64_t{1} << 30)) throw Error(fmt::format("{} is damaged", path_));
  bytes.resize(sizeof header + header.packed);
  if (!read_exactly(file_, bytes.data() + sizeof header, header.packed)) throw Error(fmt::format("{} is incomplete", path_));
  if (const char* wrong = unpack_block(bytes, blocks_++, &header, &raw_)) throw Error(fmt::format("{} {}", path_, wrong));
  return header.kind;
}

bool CheckpointReader::pages(uint64_t* address, std::string* bytes) {
  if (run_ == runs_.size()) {
    if (next() != kPages) return false;
    ByteReader in(raw_);
    runs_.assign(in.count() * 2, 0);
    uint64_t total = 0;
    for (size_t i = 0; i < runs_.size(); ++i) {
      runs_[i] = in.number();
      if (i % 2 == 1) total += runs_[i];
    }
    run_ = 0;
    if (!in.ok() || runs_.empty() || total > raw_.size()) throw Error(fmt::format("{} is damaged", path_));
    at_ = raw_.size() - total;
  }
  *address = runs_[run_];
  const uint64_t size = runs_[run_ + 1];
  if (*address % kPage != 0 || size % kPage != 0 || size > raw_.size() - at_) throw Error(fmt::format("{} is damaged", path_));
  bytes->assign(raw_, at_, size);
  at_ += size;
  run_ += 2;
  return true;
}

std::string checkpoint_digest(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return {};
  std::string block(size_t{1} << 20, '\0');
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  for (size_t n; (n = std::fread(block.data(), 1, block.size(), file)) > 0;)
    crypto_hash_sha256_update(&state, reinterpret_cast<const unsigned char*>(block.data()), n);
  std::fclose(file);
  unsigned char sum[crypto_hash_sha256_BYTES];
  crypto_hash_sha256_final(&state, sum);
  std::string text;
  for (const unsigned char byte : sum) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace heddle::store
