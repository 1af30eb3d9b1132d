#include "store/seal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "store/atomic_file.h"
#include "store/user_key.h"
#include "trace/error.h"

namespace heddle::store {

namespace {

namespace fs = std::filesystem;

constexpr const char* kSealFile = "seal";
constexpr const char* kGone = "gone";    // in place of a sum: the file may be missing
constexpr size_t kMostLines = 1000;      // then the old ones are left out
constexpr uintmax_t kLargest = 8 << 20;  // bytes of lines; more is no seal of ours

std::string hex(const unsigned char* bytes, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

std::string sum_of(std::string_view bytes) {
  unsigned char sum[crypto_hash_sha256_BYTES];
  crypto_hash_sha256(sum, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  return hex(sum, sizeof sum);
}

std::string mac_of(const Key& key, const std::string& id, const std::string& name, const std::string& sum) {
  std::string text = "heddle bug";
  for (const std::string* part : {&id, &name, &sum}) {
    text += '\0';
    text += *part;
  }
  unsigned char mac[crypto_auth_hmacsha256_BYTES];
  crypto_auth_hmacsha256(mac, reinterpret_cast<const unsigned char*>(text.data()), text.size(), key.data());
  return hex(mac, sizeof mac);
}

struct Line {
  std::string name, sum;
};

std::string id_of(const std::string& directory) { return fs::path(directory).filename().string(); }

std::string text_of(const Key& key, const std::string& directory, const Line& line) {
  return fmt::format("{} {} {}\n", mac_of(key, id_of(directory), line.name, line.sum), line.sum, line.name);
}

// Those that hold. A line that was cut off or altered says nothing.
std::vector<Line> lines_of(const Key& key, const std::string& directory) {
  std::vector<Line> lines;
  const std::string path = directory + "/" + kSealFile;
  std::error_code failure;
  if (!fs::is_regular_file(fs::symlink_status(path, failure)) || fs::file_size(path, failure) > kLargest) return lines;
  const std::string text = read_file(path);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.size(), text.find('\n', at));
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const size_t first = line.find(' ');
    const size_t second = first == std::string::npos ? first : line.find(' ', first + 1);
    if (second == std::string::npos) continue;
    Line l{line.substr(second + 1), line.substr(first + 1, second - first - 1)};
    const std::string mac = mac_of(key, id_of(directory), l.name, l.sum);
    if (first == mac.size() && sodium_memcmp(mac.data(), line.data(), mac.size()) == 0) lines.push_back(std::move(l));
  }
  return lines;
}

void add_line(const std::string& directory, const Line& line) {
  const auto& key = user_key();
  if (!key || line.name.find('\n') != std::string::npos) return;
  const std::string path = directory + "/" + kSealFile;
  std::vector<Line> known = lines_of(*key, directory);
  const bool again = std::any_of(known.begin(), known.end(), [&](const Line& l) { return l.name == line.name && l.sum == line.sum; });
  if (again) return;
  if (known.size() >= kMostLines) {
    // The newest of each name, which is what lies there.
    std::map<std::string, std::string> newest;
    for (const Line& l : known) newest[l.name] = l.sum;
    std::string text;
    for (const auto& [name, sum] : newest) text += text_of(*key, directory, {name, sum});
    replace_file(path, text + text_of(*key, directory, line));
    return;
  }
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
  const std::string text = text_of(*key, directory, line);
  const bool written = fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fdatasync(fd) == 0;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  if (!written) throw Error(fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

// What heddle reads of a bug; anything else in its directory is the user's.
bool is_read(const std::string& name) {
  static const std::set<std::string> kNames = {"bug.json",   "stdin",      "stdout",  "stderr",
                                               "cause.json", "live.stdin", "anchors", "program.zst"};
  return kNames.contains(name) || name.ends_with(".trace") || name.ends_with(".stacks") || name.find('/') != std::string::npos;
}

std::vector<std::string> files_in(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::recursive_directory_iterator at(directory, failure), end; !failure && at != end; at.increment(failure)) {
    std::error_code none;
    if (at->is_directory(none) && !at->is_symlink(none)) continue;
    const std::string name = at->path().lexically_relative(directory).string();
    if (name != kSealFile && !name.ends_with(".new")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Nothing that is not a file of its own: a link or a pipe can be something else the next time.
std::optional<std::string> sum_in(const std::string& directory, const std::string& name) {
  const std::string path = directory + "/" + name;
  std::error_code failure;
  if (!fs::is_regular_file(fs::symlink_status(path, failure))) return std::nullopt;
  try {
    return sum_of(read_file(path));
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

void Seal::writes(const std::string& name, std::string_view bytes) const {
  if (user_key()) add_line(directory_, {name, sum_of(bytes)});
}

void Seal::removes(const std::string& name) const { add_line(directory_, {name, kGone}); }

Seal::Verdict Seal::check() const {
  Verdict verdict;
  const auto& key = user_key();
  if (!key) return verdict;
  std::map<std::string, std::set<std::string>> sealed;
  for (const Line& line : lines_of(*key, directory_)) sealed[line.name].insert(line.sum);
  std::set<std::string> there;
  for (const std::string& name : files_in(directory_)) {
    there.insert(name);
    const auto known = sealed.find(name);
    if (known == sealed.end() ? is_read(name) : !known->second.contains(sum_in(directory_, name).value_or("")))
      verdict.changed.push_back(name);
  }
  for (const auto& [name, sums] : sealed) {
    if (!there.contains(name) && !sums.contains(kGone)) verdict.changed.push_back(name);
  }
  verdict.own = sealed.contains("bug.json");
  return verdict;
}

void Seal::trust() const {
  const auto& key = user_key();
  if (!key) throw Error(user_key_complaint());
  std::string text;
  for (const std::string& name : files_in(directory_)) {
    const auto sum = sum_in(directory_, name);
    if (!sum) throw Error(fmt::format("{}/{} is not a plain file", directory_, name));
    text += text_of(*key, directory_, {name, *sum});
  }
  replace_file(directory_ + "/" + kSealFile, text);
}

std::string key_complaint() { return user_key_complaint(); }

}  // namespace heddle::store
