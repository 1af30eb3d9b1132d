#include "store/store.h"

#include <fmt/format.h>
#include <zstd.h>

#include <cstring>
#include <new>
#include <stdexcept>

#include "store/atomic_file.h"
#include "store/store_bytes.h"
#include "store/store_events.h"
#include "trace/hash.h"
#include "wire/version.h"

namespace heddle::store {

namespace {

constexpr char kMagic[8] = {'h', 'e', 'd', 'd', 'l', 'e', '\r', '\n'};
// Raised when the layout of the file changes; kWireVersion is raised when the meaning of what it holds does.
constexpr uint32_t kFileVersion = 3;

// Saved traces hold these numbers: what is new comes after them.
static_assert(static_cast<uint16_t>(Op::kReleased) == 81);
static_assert(static_cast<uint32_t>(OutcomeKind::kLimit) == 13);
static_assert(static_cast<uint32_t>(PolicyKind::kDelay) == 8);

struct FileHeader {
  char magic[8];
  uint32_t file_version;
  uint32_t wire_version;
  uint64_t raw_bytes;
  uint64_t compressed_bytes;
  uint64_t checksum;
};
static_assert(sizeof(FileHeader) == 40);

uint64_t checksum_of(const FileHeader& header, std::string_view compressed) {
  return hash_bytes(compressed.data(), compressed.size(), hash_bytes(&header, offsetof(FileHeader, checksum)));
}

// A small file that unpacks to gigabytes is no trace. What compresses better than this is stored less compressed (pack).
constexpr uint64_t kUnpacksToAtMost = 64 << 20;  // bytes, of any file
constexpr uint64_t kMostTimesItsSize = 1000;     // of a larger one

bool may_unpack(uint64_t raw, std::string_view compressed) {
  if (raw > kUnpacksToAtMost && raw / kMostTimesItsSize > compressed.size()) return false;
  return ZSTD_getFrameContentSize(compressed.data(), compressed.size()) == raw;
}

void write_stack(ByteWriter& out, const std::vector<SiteId>& stack) {
  out.number(stack.size());
  for (SiteId site : stack) out.number(site);
}

std::vector<SiteId> read_stack(ByteReader& in) {
  std::vector<SiteId> stack(in.count());
  for (SiteId& site : stack) site = in.number();
  return stack;
}

void write_thread(ByteWriter& out, const Thread& t) {
  out.number(t.id);
  out.number(t.parent);
  out.number(t.birth);
  out.number(t.operations);
  out.number(static_cast<uint64_t>(t.state));
  out.number(static_cast<uint64_t>(t.pending));
  out.number(t.object);
  out.number(t.site);
  out.number(t.holder);
  out.number(t.holder_site);
  out.number(t.entry);
  write_stack(out, t.stack);
}

Thread read_thread(ByteReader& in, uint64_t count) {
  Thread t;
  t.id = in.number();
  t.parent = static_cast<uint32_t>(in.below(count));
  t.birth = static_cast<uint32_t>(in.number());
  t.operations = static_cast<uint32_t>(in.number());
  t.state = static_cast<ThreadState>(in.below(static_cast<uint64_t>(ThreadState::kRemoved) + 1));
  t.pending = static_cast<Op>(in.below(kOpCount));
  t.object = in.number();
  t.site = in.number();
  t.holder = static_cast<uint32_t>(in.number());
  if (t.holder >= count) t.holder = kNoIndex;
  t.holder_site = in.number();
  t.entry = in.number();
  t.stack = read_stack(in);
  return t;
}

void write_outcome(ByteWriter& out, const Outcome& o) {
  out.number(static_cast<uint64_t>(o.kind));
  out.difference(0, static_cast<uint64_t>(static_cast<int64_t>(o.code)));
  out.number(o.thread);
  out.text(o.message);
  write_stack(out, o.stack);
  for (uint64_t field : {o.memory.used, o.memory.allocated, o.memory.freed}) out.number(field);
  for (uint32_t field : {o.memory.allocated_by, o.memory.freed_by}) out.number(field);
}

Outcome read_outcome(ByteReader& in) {
  Outcome o;
  o.kind = static_cast<OutcomeKind>(in.below(static_cast<uint64_t>(OutcomeKind::kLimit) + 1));
  o.code = static_cast<int>(in.difference(0));
  o.thread = static_cast<uint32_t>(in.number());
  o.message = in.text();
  o.stack = read_stack(in);
  for (SiteId* field : {&o.memory.used, &o.memory.allocated, &o.memory.freed}) *field = in.number();
  for (uint32_t* field : {&o.memory.allocated_by, &o.memory.freed_by}) *field = static_cast<uint32_t>(in.number());
  return o;
}

void write_inputs(ByteWriter& out, const InputLog& log) {
  out.number(log.files.size());
  for (const InputFile& f : log.files) {
    out.text(f.path);
    for (uint64_t field : {f.size, f.changed}) out.number(field);
  }
  out.number(log.calls.size());
  for (const InputCall& c : log.calls) {
    for (uint64_t field : {c.thread, uint64_t{c.ordinal}, static_cast<uint64_t>(c.op), c.stamp}) out.number(field);
    out.difference(0, static_cast<uint64_t>(c.result));
    out.text(c.bytes);
  }
  out.number(log.lost);
}

InputLog read_inputs(ByteReader& in) {
  InputLog log;
  for (uint64_t i = in.count(); i > 0 && in.ok(); --i) {
    InputFile f;
    f.path = in.text();
    for (uint64_t* field : {&f.size, &f.changed}) *field = in.number();
    log.files.push_back(std::move(f));
  }
  for (uint64_t i = in.count(); i > 0 && in.ok(); --i) {
    InputCall c;
    c.thread = in.number();
    c.ordinal = static_cast<uint32_t>(in.number());
    c.op = static_cast<Op>(in.below(kOpCount));
    c.stamp = in.number();
    c.result = static_cast<int64_t>(in.difference(0));
    c.bytes = in.text();
    log.calls.push_back(std::move(c));
  }
  log.lost = in.number();
  return log;
}

std::string encode_data(const Trace::Data& data) {
  ByteWriter out;
  out.number(data.threads.size());
  for (const Thread& t : data.threads) write_thread(out, t);
  out.number(data.modules.size());
  for (const Module& m : data.modules) {
    out.text(m.path);
    out.number(m.bias);
    out.number(m.instrumented ? 1 : 0);
  }
  out.number(data.objects.size());
  for (const ObjectRow& o : data.objects) {
    for (uint64_t field : {o.id, o.a, o.b, o.offset, o.site, o.bytes, o.address}) out.number(field);
  }
  out.number(data.notes.size());
  for (const Note& n : data.notes) {
    out.number(n.site);
    out.number(n.count);
    out.text(n.text);
  }
  write_outcome(out, data.outcome);
  for (uint64_t field : {data.executed, data.slices_done, data.skipped_slices, data.clock_ns, static_cast<uint64_t>(data.points),
                         data.points_id, data.env_seed, data.input_id}) {
    out.number(field);
  }
  out.number(data.skips.size());
  for (const Skip& s : data.skips) {
    for (uint64_t field : {static_cast<uint64_t>(s.kind), s.thread, s.loop, s.iteration}) out.number(field);
    if (s.kind != SkipKind::kThread) out.number(s.more);
  }
  write_stack(out, data.sites);
  write_inputs(out, *data.inputs);
  write_events(out, data.events);
  if (data.first != 0) out.number(data.first);
  return out.bytes();
}

Trace::Data decode_data(ByteReader& in) {
  Trace::Data data;
  const uint64_t thread_count = in.count();
  for (uint64_t i = 0; i < thread_count && in.ok(); ++i) data.threads.push_back(read_thread(in, thread_count));
  for (uint64_t i = in.count(); i > 0 && in.ok(); --i) {
    Module m;
    m.path = in.text();
    m.bias = in.number();
    m.instrumented = in.below(2) != 0;
    data.modules.push_back(std::move(m));
  }
  for (uint64_t i = in.count(); i > 0 && in.ok(); --i) {
    ObjectRow o{};
    for (uint64_t* field : {&o.id, &o.a, &o.b, &o.offset, &o.site, &o.bytes, &o.address}) *field = in.number();
    data.objects.push_back(o);
  }
  for (uint64_t i = in.count(); i > 0 && in.ok(); --i) {
    Note n;
    n.site = in.number();
    n.count = static_cast<uint32_t>(in.number());
    n.text = in.text();
    data.notes.push_back(std::move(n));
  }
  data.outcome = read_outcome(in);
  if (data.outcome.thread >= thread_count) data.outcome.thread = 0;
  data.executed = in.number();
  data.slices_done = in.number();
  data.skipped_slices = in.number();
  data.clock_ns = in.number();
  data.points = static_cast<PointKind>(in.below(static_cast<uint64_t>(PointKind::kFunctions) + 1));
  data.points_id = in.number();
  data.env_seed = in.number();
  data.input_id = in.number();
  for (uint64_t i = in.count(); i > 0 && in.ok(); --i) {
    Skip s{};
    s.kind = static_cast<SkipKind>(in.below(static_cast<uint64_t>(SkipKind::kBirth) + 1));
    s.thread = in.number();
    s.loop = in.number();
    s.iteration = in.number();
    if (s.kind != SkipKind::kThread) s.more = static_cast<uint32_t>(in.number());
    data.skips.push_back(s);
  }
  data.sites = read_stack(in);
  data.inputs = std::make_shared<const InputLog>(read_inputs(in));
  data.events = read_events(in, thread_count);
  if (!in.at_end()) data.first = in.number();
  if (!in.at_end()) in.fail();
  return data;
}

std::string pack(std::string_view raw) {
  std::string file(sizeof(FileHeader) + ZSTD_compressBound(raw.size()), '\0');
  const size_t size =
      ZSTD_compress(file.data() + sizeof(FileHeader), file.size() - sizeof(FileHeader), raw.data(), raw.size(), kCompression);
  if (ZSTD_isError(size) != 0) throw Error(fmt::format("cannot compress a trace: {}", ZSTD_getErrorName(size)));
  file.resize(sizeof(FileHeader) + size);
  // What compresses too well to be believed gets a frame behind it that a reader skips.
  if (raw.size() > kUnpacksToAtMost && raw.size() / kMostTimesItsSize > size) {
    const auto padding = static_cast<uint32_t>(raw.size() / kMostTimesItsSize);
    for (const uint32_t field : {uint32_t{ZSTD_MAGIC_SKIPPABLE_START}, padding})
      file.append(reinterpret_cast<const char*>(&field), sizeof field);
    file.append(padding, '\0');
  }
  FileHeader header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.file_version = kFileVersion;
  header.wire_version = kWireVersion;
  header.raw_bytes = raw.size();
  header.compressed_bytes = file.size() - sizeof(FileHeader);
  header.checksum = checksum_of(header, std::string_view(file).substr(sizeof(FileHeader)));
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

std::string unpack(std::string_view bytes, const std::string& path) {
  FileHeader header{};
  if (bytes.size() < sizeof header.magic || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0) {
    throw TraceFileError(fmt::format("{} is not a heddle trace", path));
  }
  if (bytes.size() < sizeof header) throw TraceFileError(fmt::format("{} is truncated", path));
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.file_version > kFileVersion || header.wire_version > kWireVersion) {
    throw TraceFileError(fmt::format("{} was written by a later version of heddle", path));
  }
  if (header.file_version != kFileVersion || header.wire_version != kWireVersion) {
    throw TraceFileError(fmt::format("{} was written by an earlier version of heddle that this one no longer reads", path));
  }
  const std::string_view compressed = bytes.substr(sizeof header);
  if (compressed.size() < header.compressed_bytes) throw TraceFileError(fmt::format("{} is truncated", path));
  if (compressed.size() != header.compressed_bytes || checksum_of(header, compressed) != header.checksum) {
    throw TraceFileError(fmt::format("{} is damaged: its checksum does not match", path));
  }
  if (!may_unpack(header.raw_bytes, compressed)) {
    throw TraceFileError(fmt::format("{} is damaged: {} bytes of it claim to hold {}", path, compressed.size(), header.raw_bytes));
  }
  std::string raw(header.raw_bytes, '\0');
  const size_t size = ZSTD_decompress(raw.data(), raw.size(), compressed.data(), compressed.size());
  if (ZSTD_isError(size) != 0 || size != raw.size()) throw TraceFileError(fmt::format("{} is damaged: it does not decompress", path));
  return raw;
}

}  // namespace

std::string encode_trace(const Trace& trace) { return pack(encode_data(trace.data())); }
std::string compressed_for_test(std::string_view contents) { return pack(contents); }
std::string uncompressed_for_test(std::string_view file) { return unpack(file, "test"); }

Trace decode_trace(std::string_view bytes, const std::string& path) {
  try {
    const std::string raw = unpack(bytes, path);
    ByteReader in(raw);
    Trace::Data data = decode_data(in);
    if (!in.ok()) throw TraceFileError(fmt::format("{} is damaged: its contents make no sense", path));
    return Trace(std::move(data));
  } catch (const std::bad_alloc&) {
    throw TraceFileError(fmt::format("{} does not fit into memory", path));
  } catch (const std::length_error&) {
    throw TraceFileError(fmt::format("{} is damaged: its size makes no sense", path));
  }
}

void save_trace(const Trace& trace, const std::string& path) { replace_file(path, encode_trace(trace)); }

Trace load_trace(const std::string& path) {
  std::string bytes;
  try {
    bytes = read_file(path);
  } catch (const Error& error) {
    throw TraceFileError(error.what());
  }
  return decode_trace(bytes, path);
}

}  // namespace heddle::store
