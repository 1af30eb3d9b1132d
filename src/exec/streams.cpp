#include "exec/streams.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <cerrno>
#include <tuple>

#include "trace/hash.h"

namespace heddle::exec {

namespace {

// A pipe nobody writes to and nobody closes must not hang the tool before the first run.
constexpr int kFirstByteMs = 500;
constexpr int kNextByteMs = 10'000;

std::string read_everything(int fd, std::string* note) {
  std::string bytes;
  char block[1 << 16];
  while (true) {
    pollfd waiting{fd, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, bytes.empty() ? kFirstByteMs : kNextByteMs);
    if (ready < 0 && errno == EINTR) break;
    if (ready == 0) {
      if (note != nullptr) *note = "standard input stays open without giving more: what came so far is the program's input";
      break;
    }
    const ssize_t n = ::read(fd, block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    bytes.append(block, static_cast<size_t>(n));
  }
  return bytes;
}

off_t size_of(const Descriptor& file) {
  struct stat status {};
  return ::fstat(file.get(), &status) == 0 ? status.st_size : 0;
}

}  // namespace

std::shared_ptr<const Input> Input::of_bytes(const std::string& bytes) {
  auto input = std::make_shared<Input>();
  // Programs that ask what they read from take a file for what they are to look through (ag, a filter); nothing is a device that has nothing.
  input->file_ = bytes.empty() ? Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)) : memory_file("heddle-stdin");
  if (!bytes.empty()) write_all(input->file_.get(), bytes);
  input->id_ = bytes.empty() ? 0 : hash_bytes(bytes.data(), bytes.size());
  return input;
}

std::shared_ptr<const Input> Input::copy_of(int fd, std::string* note) {
  struct stat status {};
  if (::isatty(fd) == 1 || ::fstat(fd, &status) != 0 || S_ISCHR(status.st_mode)) return of_bytes({});
  return of_bytes(read_everything(fd, note));
}

Descriptor Input::open() const { return reopened(file_, O_RDONLY); }

// As a shell opens them for `>`: whether a stream can be read is a question that the C library asks (perror).
Streams::Streams(const Input& input)
    : in_(input.open()), out_(reopened(memory_file("heddle-stdout"), O_WRONLY)), err_(reopened(memory_file("heddle-stderr"), O_WRONLY)) {}

uint64_t Streams::size() const { return static_cast<uint64_t>(size_of(out_)) + static_cast<uint64_t>(size_of(err_)); }

void Streams::mark() {
  mark_ = {::lseek(in_.get(), 0, SEEK_CUR), ::lseek(out_.get(), 0, SEEK_CUR), ::lseek(err_.get(), 0, SEEK_CUR), size_of(out_),
           size_of(err_)};
}

void Streams::rewind() {
  ::lseek(in_.get(), mark_.in, SEEK_SET);
  for (auto [file, offset, size] : {std::tuple{&out_, mark_.out, mark_.out_size}, std::tuple{&err_, mark_.err, mark_.err_size}}) {
    if (size_of(*file) != size && ::ftruncate(file->get(), size) != 0) continue;
    ::lseek(file->get(), offset, SEEK_SET);
  }
}

void Streams::rewind_to(const StreamState& state, bool there) {
  ::lseek(in_.get(), state.in, SEEK_SET);
  for (auto [file, bytes] : {std::pair{&out_, &state.out}, std::pair{&err_, &state.err}}) {
    const auto size = static_cast<off_t>(bytes->size());
    if (!there) {
      ::lseek(file->get(), 0, SEEK_SET);
      write_all(file->get(), *bytes);
    }
    if (size_of(*file) != size && ::ftruncate(file->get(), size) != 0) continue;
    ::lseek(file->get(), size, SEEK_SET);
  }
}

}  // namespace heddle::exec
