#include "exec/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstring>

#include "exec/memory_map.h"
#include "trace/error.h"

namespace heddle::exec {

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMostPages = 256;                     // in one piece
constexpr uint64_t kLargestMapping = uint64_t{1} << 38;  // a sanitizer's shadow is larger
constexpr uint64_t kPresent = uint64_t{1} << 63, kSwapped = uint64_t{1} << 62, kOfFile = uint64_t{1} << 61;

class PageMap {
 public:
  explicit PageMap(pid_t pid) : file_(::open(fmt::format("/proc/{}/pagemap", pid).c_str(), O_RDONLY | O_CLOEXEC)) {
    if (!file_) throw Error(fmt::format("the pages of process {} cannot be asked for", pid));
  }
  // Entries of so many pages, or fewer.
  size_t read(uint64_t address, std::vector<uint64_t>& entries) const {
    const ssize_t n = ::pread64(file_.get(), entries.data(), entries.size() * sizeof(uint64_t), static_cast<off64_t>(address / kPage * 8));
    if (n <= 0) throw Error("the pages of the program cannot be asked for");
    return static_cast<size_t>(n) / sizeof(uint64_t);
  }

 private:
  Descriptor file_;
};

bool is_zero(const char* page) {
  static constexpr char kZero[kPage] = {};
  return std::memcmp(page, kZero, kPage) == 0;
}

// Pages of the piece that are not zero, run by run.
void give_runs(uint64_t address, const std::string& bytes, CheckpointSink& sink) {
  for (size_t at = 0; at < bytes.size();) {
    if (is_zero(bytes.data() + at)) {
      at += kPage;
      continue;
    }
    size_t end = at + kPage;
    while (end < bytes.size() && !is_zero(bytes.data() + end)) end += kPage;
    sink.pages(address + at, std::string_view(bytes).substr(at, end - at));
    at = end;
  }
}

// The pages that are neither a file's nor untouched.
void read_mapping(const MemoryMapping& m, const ProcessMemory& memory, const PageMap& map, CheckpointSink& sink) {
  std::vector<uint64_t> entries(4096);
  std::string bytes;
  const bool of_file = is_of_file(m);
  for (uint64_t at = m.low; at < m.high;) {
    entries.resize(std::min<uint64_t>(4096, (m.high - at) / kPage));
    const size_t count = map.read(at, entries);
    const auto wanted = [&](size_t i) { return (entries[i] & (kPresent | kSwapped)) != 0 && !(of_file && (entries[i] & kOfFile) != 0); };
    for (size_t i = 0; i < count;) {
      size_t end = i;
      while (end < count && end - i < kMostPages && wanted(end)) ++end;
      if (end == i) {
        ++i;
        continue;
      }
      bytes.resize((end - i) * kPage);
      memory.read(at + i * kPage, bytes.data(), bytes.size());
      give_runs(at + i * kPage, bytes, sink);
      i = end;
    }
    at += count * kPage;
  }
}

}  // namespace

void read_copy(pid_t copy, Checkpoint checkpoint, CheckpointSink& sink) {
  const ProcessMemory memory(copy);
  const PageMap map(copy);
  checkpoint.mappings = mappings_of(copy);
  checkpoint.vdso = memory.hash_of_vdso(checkpoint.mappings);
  for (const MemoryMapping& m : checkpoint.mappings) {
    if (m.high - m.low > kLargestMapping && !is_channel(m))
      throw Error("the program reserves more address space than can be looked through");
  }
  sink.begin(checkpoint);
  for (const MemoryMapping& m : checkpoint.mappings) {
    if (!is_kernels(m) && !is_channel(m)) read_mapping(m, memory, map, sink);
  }
  sink.end();
}

Checkpoints::Checkpoints(Channel& channel, StreamSink& sink, std::chrono::milliseconds every)
    : channel_(channel), sink_(sink), every_(every), begun_(std::chrono::steady_clock::now()), last_(begun_) {}

Checkpoints::~Checkpoints() { finish(); }

void Checkpoints::ask() {
  last_ = std::chrono::steady_clock::now();
  file_ = sink_.next_checkpoint();
  if (!file_) return;
  channel_.repeat_tables();
  __atomic_add_fetch(&channel_.control().checkpoint.wanted, 1, __ATOMIC_RELEASE);
  stage_ = Stage::kAsked;
}

void Checkpoints::answered() {
  const CheckpointWords& w = channel_.control().checkpoint;
  if (w.state != CheckpointState::kReady) {
    complaint_ = fmt::format("no checkpoint: {}", std::string(w.why, ::strnlen(w.why, sizeof w.why)));
    file_.reset();
    stage_ = Stage::kIdle;
    return;
  }
  Checkpoint c;
  c.step = w.step;
  c.clock_ns = w.clock_ns;
  c.real_ms =
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun_).count());
  c.pause_us = w.pause_us;
  c.mark = w.mark;
  c.fs_base = w.fs_base;
  c.program_break = w.program_break;
  stage_ = Stage::kReading;
  read_ = false;
  failure_.clear();
  reader_ = std::thread([this, c, pid = w.pid] {
    try {
      read_copy(pid, c, *file_);
    } catch (const std::exception& error) {
      failure_ = error.what();
    }
    read_.store(true, std::memory_order_release);
  });
}

void Checkpoints::reap() {
  reader_.join();
  file_.reset();
  CheckpointWords& w = channel_.control().checkpoint;
  __atomic_store_n(&w.taken, w.made, __ATOMIC_RELEASE);
  ::syscall(SYS_futex, &w.taken, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  if (!failure_.empty()) complaint_ = fmt::format("no checkpoint: {}", failure_);
  stage_ = Stage::kIdle;
}

void Checkpoints::look() {
  switch (stage_) {
    case Stage::kIdle:
      if (std::chrono::steady_clock::now() - last_ >= every_ && channel_.control().server_pid > 0) ask();
      return;
    case Stage::kAsked: {
      const CheckpointWords& w = channel_.control().checkpoint;
      const bool made = __atomic_load_n(&w.made, __ATOMIC_ACQUIRE) == w.wanted;
      // The run, too, has something to say: how long it stood still.
      if (made && (w.state != CheckpointState::kReady || __atomic_load_n(&w.pause_us, __ATOMIC_ACQUIRE) != 0)) answered();
      return;
    }
    case Stage::kReading:
      if (read_.load(std::memory_order_acquire)) reap();
      return;
  }
}

void Checkpoints::finish() {
  if (stage_ == Stage::kAsked && channel_.control().checkpoint.made == channel_.control().checkpoint.wanted) answered();
  if (stage_ == Stage::kReading) reap();
}

}  // namespace heddle::exec
