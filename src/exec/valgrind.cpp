#include "exec/valgrind.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "trace/error.h"
#include "wire/block_trace.h"

namespace heddle::exec {

namespace fs = std::filesystem;

ValgrindTool find_valgrind_tool() {
  ValgrindTool found;
  std::error_code failure;
  const fs::path prefix = fs::read_symlink("/proc/self/exe", failure).parent_path().parent_path();
  for (const char* place : {"lib/heddle-amd64-linux", "lib/heddle/heddle-amd64-linux"}) {
    if (fs::exists(prefix / place, failure)) found.program = (prefix / place).string();
  }
  for (const char* place :
       {"/usr/libexec/valgrind", "/usr/lib/x86_64-linux-gnu/valgrind", "/usr/lib/valgrind", "/usr/local/libexec/valgrind"}) {
    if (found.directory.empty() && fs::exists(fs::path(place) / "vgpreload_core-amd64-linux.so", failure)) found.directory = place;
  }
  if (found.directory.empty()) {
    found.missing = "Valgrind is not installed (Debian: valgrind)";
  } else if (found.program.empty()) {
    found.missing = "Heddle's Valgrind tool was not built: Valgrind's headers and libraries were not there";
  }
  return found;
}

namespace {

Descriptor file_for_tool(const char* name) {
  Descriptor file(::memfd_create(name, MFD_CLOEXEC));
  if (!file) throw Error(fmt::format("cannot create shared memory: {}", std::strerror(errno)));
  return file;
}

std::string path_of(const Descriptor& file) { return fmt::format("/proc/{}/fd/{}", ::getpid(), file.get()); }

}  // namespace

SharedRegions::SharedRegions() : file_(file_for_tool("heddle-regions")) {}

std::string SharedRegions::path() const { return path_of(file_); }

MemoryDependences::MemoryDependences() : file_(file_for_tool("heddle-dependences")) {}

std::string MemoryDependences::path() const { return path_of(file_); }

std::vector<HeddleDependence> MemoryDependences::found() const {
  std::vector<HeddleDependence> all;
  HeddleDependence one{};
  for (off_t at = 0; ::pread(file_.get(), &one, sizeof one, at) == static_cast<ssize_t>(sizeof one); at += sizeof one) all.push_back(one);
  return all;
}

BlockTraceFile::BlockTraceFile(size_t bytes) : file_(file_for_tool("heddle-blocks")) {
  constexpr size_t kDescriptions = size_t{128} << 20, kChunk = size_t{kHeddleChunkWords} * 8;
  HeddleBlockTrace head{};
  head.version = kHeddleTraceVersion;
  head.description_at = 4096;
  head.description_capacity = kDescriptions / 4;
  head.chunks_at = 4096 + kDescriptions;
  head.chunk_capacity = bytes / kChunk + 2;
  size_ = head.chunks_at + head.chunk_capacity * kChunk;
  // Pages that nobody writes to take no memory.
  if (::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0)
    throw Error(fmt::format("cannot make room for a trace: {}", std::strerror(errno)));
  void* memory = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (memory == MAP_FAILED) throw Error(fmt::format("cannot make room for a trace: {}", std::strerror(errno)));
  memory_ = static_cast<std::byte*>(memory);
  std::memcpy(memory_, &head, sizeof head);
}

BlockTraceFile::~BlockTraceFile() {
  if (memory_ != nullptr) ::munmap(memory_, size_);
}

std::string BlockTraceFile::path() const { return path_of(file_); }

size_t SharedRegions::with_losses() const {
  size_t count = 0;
  uint64_t some[512];
  ssize_t bytes = 0;
  for (off_t at = 0; (bytes = ::pread(file_.get(), some, sizeof some, at)) > 0; at += bytes) {
    for (size_t i = 0; i < static_cast<size_t>(bytes) / sizeof some[0]; ++i) count += (some[i] & kHeddleNothingLost) == 0 ? 1 : 0;
  }
  return count;
}

Target under_valgrind(const Target& target, const ValgrindTool& tool, const std::vector<std::string>& options) {
  if (!tool.present()) throw Error(tool.missing);
  if (target.script) throw Error(fmt::format("{}: a script: name the program that it runs", target.arguments.front()));
  Target wrapped = target;
  wrapped.wrapped = target.program;
  wrapped.program = tool.program;
  wrapped.arguments = {tool.program, "--tool=heddle", "-q", "--log-file=/dev/null", "--vgdb=no"};
  wrapped.arguments.insert(wrapped.arguments.end(), options.begin(), options.end());
  // Where the name has no directory Valgrind would look for it in PATH, and may find another.
  const std::string& name = target.arguments.front();
  wrapped.arguments.push_back(name.find('/') != std::string::npos ? name : target.program);
  wrapped.arguments.insert(wrapped.arguments.end(), target.arguments.begin() + 1, target.arguments.end());
  wrapped.set_variable("VALGRIND_LIB=" + tool.directory);
  wrapped.set_variable("VALGRIND_LAUNCHER=" + tool.program);
  return wrapped;
}

}  // namespace heddle::exec
