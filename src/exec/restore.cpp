#include "exec/restore.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "exec/memory_map.h"
#include "trace/error.h"
#include "wire/inherited.h"

namespace heddle::exec {

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kScriptRoom = uint64_t{256} << 20;  // of the channel's file: the pages follow
constexpr int kScriptChannel = 950;                    // the channel's number while a script runs
constexpr int kFirstFree = 3;                          // what the next open() gives
constexpr int kPatienceMs = 60'000;

uint64_t page_up(uint64_t n) { return (n + kPage - 1) & ~(kPage - 1); }

struct Run {
  uint64_t address, bytes, offset;  // in the channel's file
};

void write_at(int file, const char* bytes, size_t size, uint64_t offset) {
  while (size > 0) {
    const ssize_t n = ::pwrite64(file, bytes, size, static_cast<off64_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw Error(fmt::format("not enough memory for the checkpoint: {}", std::strerror(errno)));
    bytes += n;
    size -= static_cast<size_t>(n);
    offset += static_cast<uint64_t>(n);
  }
}

int protection_of(const MemoryMapping& m) {
  return (m.flags[0] == 'r' ? PROT_READ : 0) | (m.flags[1] == 'w' ? PROT_WRITE : 0) | (m.flags[2] == 'x' ? PROT_EXEC : 0);
}

bool overlaps(const std::vector<MemoryMapping>& all, uint64_t low, uint64_t high) {
  return std::any_of(all.begin(), all.end(), [&](const MemoryMapping& m) { return m.low < high && low < m.high; });
}

class ScriptWriter {
 public:
  ScriptWriter(const Checkpoint& wanted, std::vector<MemoryMapping> now, std::vector<Run> runs)
      : wanted_(wanted), now_(std::move(now)), runs_(std::move(runs)) {}

  // The script as it lies in the process's memory at `at`, without its stack.
  std::string write(int channel, uint64_t at) {
    at_ = at;
    begin(channel);
    for (const MemoryMapping& m : now_) clear(m);
    call(SYS_brk, {static_cast<int64_t>(wanted_.program_break)});
    for (const MemoryMapping& m : wanted_.mappings) map(m);
    for (const Run& r : runs_) {
      call(SYS_pread64, {kScriptChannel, static_cast<int64_t>(r.address), static_cast<int64_t>(r.bytes), static_cast<int64_t>(r.offset)});
    }
    for (const MemoryMapping& m : wanted_.mappings) protect(m);
    constexpr int64_t kSetFs = 0x1002;
    call(SYS_arch_prctl, {kSetFs, static_cast<int64_t>(wanted_.fs_base)});
    call(SYS_close, {kScriptChannel});
    return bytes();
  }

 private:
  void call(long number, std::initializer_list<int64_t> arguments, bool may_fail = false) {
    ScriptCall c{};
    c.number = number;
    std::copy(arguments.begin(), arguments.end(), c.arguments);
    c.may_fail = may_fail ? 1 : 0;
    calls_.push_back(c);
  }

  // Nothing but the streams and the channel is open while the script runs, so that the number of what it opens is known.
  void begin(int channel) {
    call(SYS_dup3, {channel, kScriptChannel, O_CLOEXEC});
    call(SYS_close_range, {kFirstFree, kInheritedChannel - 1, 0});
    call(SYS_close_range, {kInheritedChannel + 1, kScriptChannel - 1, 0});
    call(SYS_close_range, {kScriptChannel + 1, UINT_MAX, 0});
  }

  bool has_pages(const MemoryMapping& m) const {
    const auto at = std::lower_bound(runs_.begin(), runs_.end(), m.low, [](const Run& r, uint64_t low) { return r.address < low; });
    return at != runs_.end() && at->address < m.high;
  }

  bool is_kept(const MemoryMapping& m) const {
    if (!is_of_file(m) || m.flags[1] == 'w') return false;
    return std::any_of(wanted_.mappings.begin(), wanted_.mappings.end(), [&](const MemoryMapping& w) {
      return w.low == m.low && w.high == m.high && w.offset == m.offset && w.flags == m.flags && w.path == m.path && !has_pages(w);
    });
  }

  void clear(const MemoryMapping& m) {
    if (is_kernels(m) || is_kept(m)) return;
    const auto low = static_cast<int64_t>(m.low), bytes = static_cast<int64_t>(m.high - m.low);
    if (is_stack(m)) {
      call(SYS_madvise, {low, bytes, MADV_DONTNEED});
    } else {
      call(SYS_munmap, {low, bytes});
    }
  }

  void map(const MemoryMapping& m) {
    if (is_kernels(m)) return;
    if (std::any_of(now_.begin(), now_.end(), [&](const MemoryMapping& n) { return n.low == m.low && n.path == m.path && is_kept(n); }))
      return;
    auto low = static_cast<int64_t>(m.low);
    auto high = static_cast<int64_t>(m.high);
    if (is_stack(m)) {
      for (const MemoryMapping& n : now_) {
        if (is_stack(n)) high = std::min<int64_t>(high, static_cast<int64_t>(n.low));
      }
      if (high <= low) return;
    }
    const int fixed = MAP_FIXED | MAP_NORESERVE;
    const int protection = has_pages(m) ? PROT_READ | PROT_WRITE : protection_of(m);
    if (is_channel(m)) {
      call(SYS_mmap, {low, high - low, protection_of(m), MAP_SHARED | fixed, kScriptChannel, static_cast<int64_t>(m.offset)});
    } else if (is_of_file(m)) {
      call(SYS_open, {text(m.path), O_RDONLY | O_CLOEXEC, 0});
      call(SYS_mmap, {low, high - low, protection, MAP_PRIVATE | fixed, kFirstFree, static_cast<int64_t>(m.offset)});
      call(SYS_close, {kFirstFree});
    } else {
      call(SYS_mmap, {low, high - low, protection, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0});
    }
  }

  void protect(const MemoryMapping& m) {
    if (is_kernels(m) || is_channel(m) || is_stack(m) || !has_pages(m) || protection_of(m) == (PROT_READ | PROT_WRITE)) return;
    call(SYS_mprotect, {static_cast<int64_t>(m.low), static_cast<int64_t>(m.high - m.low), protection_of(m)});
  }

  // Where the text will be. Texts come first: the calls know where they lie.
  int64_t text(const std::string& t) {
    const uint64_t place = sizeof(Script) + texts_.size();
    texts_ += t;
    texts_ += '\0';
    return static_cast<int64_t>(at_ + place);
  }

  std::string bytes() {
    texts_.resize((texts_.size() + 7) & ~size_t{7});
    const Script head{calls_.size(), wanted_.mark, sizeof(Script) + texts_.size()};
    std::string all(reinterpret_cast<const char*>(&head), sizeof head);
    all += texts_;
    all.append(reinterpret_cast<const char*>(calls_.data()), calls_.size() * sizeof(ScriptCall));
    return all;
  }

  const Checkpoint& wanted_;
  std::vector<MemoryMapping> now_;
  std::vector<Run> runs_;
  uint64_t at_ = 0;
  std::string texts_;
  std::vector<ScriptCall> calls_;
};

// The pages, behind the script's place in the channel's file.
std::vector<Run> load_pages(Channel& channel, CheckpointSource& source, uint64_t offset) {
  std::vector<Run> runs;
  uint64_t address = 0;
  std::string bytes;
  while (source.pages(&address, &bytes)) {
    write_at(channel.descriptor(), bytes.data(), bytes.size(), offset);
    runs.push_back({address, bytes.size(), offset});
    offset += bytes.size();
  }
  return runs;
}

void await_state(Channel& channel, RestoreState wanted, const std::function<bool()>& ended) {
  RestoreWords& r = channel.control().restore;
  for (int waited = 0; waited < kPatienceMs; waited += 10) {
    RestoreState state;
    __atomic_load(&r.state, &state, __ATOMIC_ACQUIRE);
    if (state == wanted) return;
    if (ended()) throw Error("the program ended before it could become the checkpoint");
    const timespec span{0, 10'000'000};
    ::syscall(SYS_futex, &r.state, FUTEX_WAIT, static_cast<uint32_t>(state), &span, nullptr, 0);
  }
  throw Error("the program did not start");
}

void check_files(const Checkpoint& c) {
  for (const MemoryMapping& saved : c.mappings) {
    if (!is_of_file(saved)) continue;
    const FileStamp now = stamp_of(saved.path);
    if (now.size != saved.size || now.changed != saved.changed)
      throw Error(fmt::format("{} has changed since the checkpoint was written", saved.path));
  }
}

void check_kernel(const Checkpoint& c, const std::vector<MemoryMapping>& now, pid_t pid) {
  if (ProcessMemory(pid).hash_of_vdso(now) != c.vdso) throw Error("the checkpoint was written under another kernel");
  const auto top = [](const std::vector<MemoryMapping>& all) {
    for (const MemoryMapping& m : all) {
      if (is_stack(m)) return m.high;
    }
    return uint64_t{0};
  };
  if (top(now) != top(c.mappings)) throw Error("addresses are not the same as when the checkpoint was written");
}

}  // namespace

void want_restore(Channel& channel, const Checkpoint& checkpoint) {
  check_files(checkpoint);
  RestoreWords& r = channel.control().restore;
  r.state = RestoreState::kWanted;
  r.first_event = checkpoint.step;
}

void restore(Channel& channel, CheckpointSource& source, const std::function<bool()>& ended) {
  RestoreWords& r = channel.control().restore;
  const Checkpoint& c = source.checkpoint();
  r.offset = page_up(channel.control().size);
  const std::vector<Run> runs = load_pages(channel, source, r.offset + kScriptRoom);
  await_state(channel, RestoreState::kStopped, ended);
  const std::vector<MemoryMapping> now = mappings_of(r.pid);
  check_kernel(c, now, r.pid);
  constexpr uint64_t kFirstPlace = uint64_t{1} << 44, kNextPlace = uint64_t{1} << 40;
  r.at = kFirstPlace;
  while (overlaps(now, r.at, r.at + kScriptRoom) || overlaps(c.mappings, r.at, r.at + kScriptRoom)) r.at += kNextPlace;
  const std::string script = ScriptWriter(c, now, runs).write(r.descriptor, r.at);
  if (script.size() + kScriptStack + kPage > kScriptRoom) throw Error("the checkpoint has too many pieces");
  write_at(channel.descriptor(), script.data(), script.size(), r.offset);
  r.bytes = page_up(script.size()) + kScriptStack;
  // As far as it is mapped it must be there.
  write_at(channel.descriptor(), "", 1, r.offset + r.bytes - 1);
  RestoreState go = RestoreState::kGo;
  __atomic_store(&r.state, &go, __ATOMIC_RELEASE);
  ::syscall(SYS_futex, &r.state, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void await_restored(Channel& channel, const std::function<bool()>& ended) { await_state(channel, RestoreState::kDone, ended); }

}  // namespace heddle::exec
