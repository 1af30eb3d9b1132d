// Altered copies of an ELF file, for the tests of what symbolising does without debug information or with damage.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace heddle::test {

// A directory of its own that goes with the object.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A 64-bit little-endian ELF file in memory.
class ElfImage {
 public:
  explicit ElfImage(const std::filesystem::path& file);

  // The section is still there, but under another name and without its type.
  void hide_section(const std::string& name);
  void fill_section(const std::string& name, unsigned char byte);
  std::vector<std::string> section_names() const;
  // As `objcopy --add-gnu-debuglink` does, with a checksum of zero: the build id has to agree.
  void add_debug_link(const std::string& file_name);
  void change_build_id();
  void truncate(size_t size) { bytes_.resize(size); }
  size_t size() const { return bytes_.size(); }
  unsigned char& operator[](size_t at) { return bytes_[at]; }

  std::string write(const std::filesystem::path& file) const;

 private:
  struct Section {
    std::string name;
    size_t header;  // where its header is in the file
    size_t offset;
    size_t size;
  };
  std::vector<Section> sections() const;

  std::vector<unsigned char> bytes_;
};

}  // namespace heddle::test
