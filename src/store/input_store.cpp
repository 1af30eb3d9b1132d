#include "store/input_store.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "store/atomic_file.h"
#include "store/saved_json.h"
#include "trace/error.h"
#include "trace/hash.h"

namespace heddle::store {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Kept {
  uint64_t hash = 0;
  uint64_t size = 0;
  uint64_t changed = 0;  // when it was kept: an untouched file need not be read to be known
};
using Index = std::map<std::string, Kept>;

std::vector<RecordedFile>& originals() {
  static std::vector<RecordedFile> files;
  return files;
}

const RecordedFile* original_of(const std::string& path) {
  const auto found = std::find_if(originals().begin(), originals().end(), [&](const RecordedFile& f) { return f.path == path; });
  return found == originals().end() ? nullptr : &*found;
}

std::string index_path(const std::string& directory) { return directory + "/index.json"; }
std::string blob_path(const std::string& directory, uint64_t hash) { return fmt::format("{}/{:016x}.zst", directory, hash); }

void write_announced(const std::string& path, const std::string& bytes, const Announce& announce) {
  if (announce) announce(fs::path(path).filename().string(), bytes);
  replace_file(path, bytes);
}

Index load_index(const std::string& directory) {
  std::error_code failure;
  Index index;
  if (!fs::exists(index_path(directory), failure)) return index;
  try {
    const json all_kept = parse_saved_json<json>(read_file(index_path(directory)));
    if (!all_kept.is_object()) throw Error(fmt::format("{} is damaged", index_path(directory)));
    for (const auto& [path, kept] : all_kept.items()) {
      index[bytes_of_text(path)] = {kept.at("hash"), kept.at("size"), kept.at("changed")};
    }
  } catch (const json::exception&) {
    throw Error(fmt::format("{} is damaged", index_path(directory)));
  }
  return index;
}

void save_index(const std::string& directory, const Index& index, const Announce& announce) {
  json j = json::object();
  for (const auto& [path, kept] : index) j[path] = {{"hash", kept.hash}, {"size", kept.size}, {"changed", kept.changed}};
  make_directory(directory);
  write_announced(index_path(directory), saved_json(j).dump(1) + "\n", announce);
}

uint64_t change_time(const struct stat& status) {
  return static_cast<uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(status.st_mtim.tv_nsec);
}

std::string compressed(const std::string& bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kCompression);
  if (ZSTD_isError(size) != 0) throw Error(fmt::format("cannot compress an input: {}", ZSTD_getErrorName(size)));
  out.resize(size);
  return out;
}

std::string load_blob(const std::string& directory, const std::string& of, const Kept& kept) {
  const std::string path = blob_path(directory, kept.hash);
  const std::string packed = read_file(path);
  std::string bytes(std::min(kept.size, kMostOfOneFile), '\0');
  const size_t size = ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size());
  if (ZSTD_isError(size) != 0 || size != kept.size || hash_bytes(bytes.data(), bytes.size()) != kept.hash) {
    throw Error(fmt::format("{} is damaged: it should hold {} as it was", path, of));
  }
  return bytes;
}

bool is_as_kept(const std::string& path, const Kept& kept) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || static_cast<uint64_t>(status.st_size) != kept.size) return false;
  if (change_time(status) == kept.changed) return true;
  try {
    const std::string bytes = read_file(path);
    return hash_bytes(bytes.data(), bytes.size()) == kept.hash;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

void remember_originals(std::vector<RecordedFile> files) { originals() = std::move(files); }

std::vector<std::string> keep_files(const std::string& directory, const InputLog& log, const Announce& announce) {
  std::vector<std::string> notes;
  Index index = load_index(directory);
  const size_t before = index.size();
  uint64_t all = 0;
  for (const auto& [path, kept] : index) all += kept.size;
  for (const InputFile& file : log.files) {
    struct stat status {};
    const RecordedFile* original = original_of(file.path);
    // Nothing there: the run made it itself.
    const bool there = original != nullptr || (::stat(file.path.c_str(), &status) == 0 && S_ISREG(status.st_mode));
    if (index.contains(file.path) || !there) continue;
    const auto size = original != nullptr ? original->bytes.size() : static_cast<uint64_t>(status.st_size);
    if (size > kMostOfOneFile || all + size > kMostOfAllFiles) {
      notes.push_back(fmt::format("{} ({} MB) is too large to be kept: a replay reads it as it is then", file.path, size >> 20));
      continue;
    }
    std::string bytes;
    try {
      bytes = original != nullptr ? original->bytes : read_file(file.path);
    } catch (const Error& error) {
      notes.push_back(fmt::format("not kept for replays: {}", error.what()));
      continue;
    }
    all += bytes.size();
    const uint64_t changed = original != nullptr ? original->changed : change_time(status);
    const Kept kept{hash_bytes(bytes.data(), bytes.size()), bytes.size(), changed};
    std::error_code failure;
    make_directory(directory);
    const std::string blob = blob_path(directory, kept.hash);
    if (!fs::exists(blob, failure)) write_announced(blob, compressed(bytes), announce);
    index[file.path] = kept;
  }
  if (index.size() != before) save_index(directory, index, announce);
  return notes;
}

std::vector<RecordedFile> changed_files(const std::string& directory) {
  std::vector<RecordedFile> changed;
  for (const auto& [path, kept] : load_index(directory)) {
    if (!is_as_kept(path, kept)) changed.push_back({path, load_blob(directory, path, kept), kept.changed});
  }
  return changed;
}

}  // namespace heddle::store
