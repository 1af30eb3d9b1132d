#include "exec/target.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "exec/descriptor.h"
#include "trace/error.h"
#include "wire/channel.h"
#include "wire/elf_note.h"

extern char** environ;

namespace heddle::exec {

namespace {

namespace fs = std::filesystem;

bool is_runnable_file(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

fs::path find_program(const std::string& name, const fs::path& directory) {
  if (name.empty()) throw Error("the program's name is empty");
  if (name.find('/') != std::string::npos) return directory / name;
  const char* variable = std::getenv("PATH");
  std::string_view path = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
  while (true) {
    const size_t colon = path.find(':');
    const std::string_view entry = path.substr(0, colon);
    const fs::path candidate = directory / (entry.empty() ? fs::path(".") : fs::path(entry)) / name;
    if (is_runnable_file(candidate)) return candidate;
    if (colon == std::string_view::npos) break;
    path.remove_prefix(colon + 1);
  }
  if (is_runnable_file(directory / name)) {
    throw Error(fmt::format("{}: not found in PATH; for the one in this directory write ./{}", name, name));
  }
  throw Error(fmt::format("{}: not found in PATH", name));
}

bool read_at(int fd, void* to, size_t bytes, uint64_t offset) {
  return ::pread(fd, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

// Programs of Go say so in a note. Their runtime switches stacks and waits by system calls of its own, past the C library: nobody would see it wait.
bool is_go(int fd, const Elf64_Ehdr& header) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!read_at(fd, &segment, sizeof segment, header.e_phoff + uint64_t{i} * sizeof segment)) return false;
    if (segment.p_type != PT_NOTE || segment.p_filesz > 65536) continue;
    std::string notes(segment.p_filesz, '\0');
    if (read_at(fd, notes.data(), notes.size(), segment.p_offset) && is_note_of_go(notes.data(), notes.size())) return true;
  }
  return false;
}

// The dynamic linker named by the program, or nothing: then it is static, and nobody would load our library.
std::string interpreter(int fd, const Elf64_Ehdr& header) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!read_at(fd, &segment, sizeof segment, header.e_phoff + uint64_t{i} * sizeof segment)) return {};
    if (segment.p_type != PT_INTERP || segment.p_filesz == 0 || segment.p_filesz > 4096) continue;
    std::string name(segment.p_filesz, '\0');
    if (!read_at(fd, name.data(), name.size(), segment.p_offset)) return {};
    return name.c_str();
  }
  return {};
}

void check_elf(const std::string& path, int fd) {
  Elf64_Ehdr header{};
  const bool whole = read_at(fd, &header, sizeof header, 0);
  const auto* ident = header.e_ident;
  if (std::memcmp(ident, ELFMAG, SELFMAG) != 0) {
    throw Error(fmt::format("{}: neither an ELF program nor a script", path));
  }
  if (ident[EI_CLASS] == ELFCLASS32) throw Error(fmt::format("{}: a 32-bit program; only 64-bit x86 is supported", path));
  if (!whole || header.e_machine != EM_X86_64) {
    throw Error(fmt::format("{}: not a program for 64-bit x86", path));
  }
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) throw Error(fmt::format("{}: not an executable program", path));
  const std::string linker = interpreter(fd, header);
  if (linker.empty()) {
    throw Error(fmt::format("{}: statically linked, so our library cannot be loaded into it; link it dynamically", path));
  }
  if (is_go(fd, header)) {
    throw Error(fmt::format("{}: a program of Go, whose threads wait past the C library; Heddle cannot control them", path));
  }
  if (linker.find("musl") != std::string::npos) {
    throw Error(fmt::format("{}: linked with musl; only glibc programs are supported", path));
  }
}

// True for a script whose interpreter exists.
bool check_script(const std::string& path, int fd) {
  char line[256] = {};
  const ssize_t n = ::pread(fd, line, sizeof line - 1, 0);
  if (n < 2 || line[0] != '#' || line[1] != '!') return false;
  std::string_view rest(line + 2, static_cast<size_t>(n) - 2);
  rest = rest.substr(0, rest.find('\n'));
  const size_t begin = rest.find_first_not_of(" \t");
  if (begin == std::string_view::npos) throw Error(fmt::format("{}: a script without an interpreter", path));
  rest = rest.substr(begin);
  const std::string name(rest.substr(0, rest.find_first_of(" \t\r")));
  if (!is_runnable_file(name)) throw Error(fmt::format("{}: its interpreter {} cannot be run", path, name));
  return true;
}

}  // namespace

Target Target::found(const std::vector<std::string>& command, const std::string& directory) {
  if (command.empty()) throw Error("no program given: put it after --", ExitCode::kUsage);
  Target target;
  std::error_code failure;
  const fs::path current = fs::current_path(failure);
  if (failure) throw Error(fmt::format("the current directory cannot be read: {}", failure.message()));
  target.directory = directory.empty() ? current.string() : (current / directory).string();
  target.program = find_program(command.front(), target.directory).lexically_normal().string();
  target.arguments = command;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    // Where we keep things is no business of the program's.
    if (!std::string_view(*variable).starts_with("HEDDLE_STORE=")) target.environment.emplace_back(*variable);
  }
  return target;
}

Target Target::resolve(const std::vector<std::string>& command, const std::string& directory) {
  Target target = found(command, directory);
  const std::string& shown = command.front();
  if (std::getenv(kChannelVariable) != nullptr) throw Error("Heddle was started by a program that is under its control; start it directly");
  struct stat status {};
  if (::stat(target.program.c_str(), &status) != 0) throw Error(fmt::format("{}: {}", shown, std::strerror(errno)));
  if (S_ISDIR(status.st_mode)) throw Error(fmt::format("{}: a directory, not a program", shown));
  if (!S_ISREG(status.st_mode)) throw Error(fmt::format("{}: not a regular file", shown));
  if (::access(target.program.c_str(), X_OK) != 0) throw Error(fmt::format("{}: not executable", shown));
  if ((status.st_mode & (S_ISUID | S_ISGID)) != 0) {
    throw Error(fmt::format("{}: setuid or setgid, so the system would not let our library in; test a copy without that bit", shown));
  }
  struct stat own {};
  if (::stat("/proc/self/exe", &own) == 0 && own.st_dev == status.st_dev && own.st_ino == status.st_ino) {
    throw Error(fmt::format("{}: this is Heddle itself, which cannot be tested under its own control; start it directly", shown));
  }
  const Descriptor file(::open(target.program.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw Error(fmt::format("{}: cannot be read: {}", shown, std::strerror(errno)));
  target.script = check_script(shown, file.get());
  if (!target.script) check_elf(shown, file.get());
  return target;
}

void Target::set_variables(const std::vector<std::string>& entries, bool whole) {
  if (whole) {
    environment = entries;
    return;
  }
  for (const std::string& entry : entries) set_variable(entry);
}

void Target::set_variable(const std::string& entry) {
  const std::string name = entry.substr(0, entry.find('=')) + "=";
  std::erase_if(environment, [&](const std::string& other) { return other.starts_with(name); });
  if (entry.find('=') != std::string::npos) environment.push_back(entry);
}

std::string runtime_library() {
  std::error_code failure;
  const fs::path tool = fs::read_symlink("/proc/self/exe", failure);
  if (failure) throw Error("cannot find the tool's own executable through /proc");
  const fs::path prefix = tool.parent_path().parent_path();
  for (const char* directory : {"lib", "lib/heddle"}) {
    const std::string place = fmt::format("{}/{}", directory, kRuntimeFile);
    if (fs::path candidate = prefix / place; fs::exists(candidate, failure)) return candidate.string();
  }
  throw Error(fmt::format("{} is not where it belongs, in {}/lib or {}/lib/heddle", kRuntimeFile, prefix.string(), prefix.string()));
}

}  // namespace heddle::exec
