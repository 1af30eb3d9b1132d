#include "symbols_files.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <stdexcept>

namespace heddle::test {
namespace {

template <class Record>
Record record_at(const std::vector<unsigned char>& bytes, size_t offset) {
  Record record;
  if (offset + sizeof record > bytes.size()) throw std::out_of_range("not in the file");
  std::memcpy(&record, bytes.data() + offset, sizeof record);
  return record;
}

template <class Record>
void put(std::vector<unsigned char>& bytes, size_t offset, const Record& record) {
  if (offset + sizeof record > bytes.size()) bytes.resize(offset + sizeof record);
  std::memcpy(bytes.data() + offset, &record, sizeof record);
}

}  // namespace

ScratchDirectory::ScratchDirectory() {
  std::string pattern = (std::filesystem::path(testing::TempDir()) / "heddle_symbols_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no scratch directory");
  path_ = pattern;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

ElfImage::ElfImage(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  bytes_.resize(std::filesystem::file_size(file));
  stream.read(reinterpret_cast<char*>(bytes_.data()), static_cast<std::streamsize>(bytes_.size()));
}

std::vector<ElfImage::Section> ElfImage::sections() const {
  auto header = record_at<Elf64_Ehdr>(bytes_, 0);
  auto names = record_at<Elf64_Shdr>(bytes_, header.e_shoff + header.e_shstrndx * sizeof(Elf64_Shdr));
  std::vector<Section> sections;
  for (size_t i = 0; i < header.e_shnum; ++i) {
    size_t at = header.e_shoff + i * sizeof(Elf64_Shdr);
    auto section = record_at<Elf64_Shdr>(bytes_, at);
    const char* name = reinterpret_cast<const char*>(bytes_.data() + names.sh_offset + section.sh_name);
    sections.push_back({name, at, section.sh_offset, section.sh_type == SHT_NOBITS ? 0 : section.sh_size});
  }
  return sections;
}

std::vector<std::string> ElfImage::section_names() const {
  std::vector<std::string> names;
  for (const Section& section : sections()) {
    if (section.size != 0) names.push_back(section.name);
  }
  return names;
}

void ElfImage::hide_section(const std::string& name) {
  for (const Section& section : sections()) {
    if (section.name != name) continue;
    auto header = record_at<Elf64_Shdr>(bytes_, section.header);
    header.sh_type = SHT_PROGBITS;
    header.sh_name = 0;
    put(bytes_, section.header, header);
  }
}

void ElfImage::fill_section(const std::string& name, unsigned char byte) {
  for (const Section& section : sections()) {
    if (section.name == name) std::memset(bytes_.data() + section.offset, byte, section.size);
  }
}

void ElfImage::change_build_id() {
  for (const Section& section : sections()) {
    if (section.name == ".note.gnu.build-id") bytes_[section.offset + section.size - 1] ^= 1;
  }
}

void ElfImage::add_debug_link(const std::string& file_name) {
  auto header = record_at<Elf64_Ehdr>(bytes_, 0);
  auto names = record_at<Elf64_Shdr>(bytes_, header.e_shoff + header.e_shstrndx * sizeof(Elf64_Shdr));
  std::vector<Elf64_Shdr> table;
  for (size_t i = 0; i < header.e_shnum; ++i) {
    table.push_back(record_at<Elf64_Shdr>(bytes_, header.e_shoff + i * sizeof(Elf64_Shdr)));
  }
  // The names move to the end of the file, where they can grow.
  std::vector<unsigned char> text(bytes_.begin() + static_cast<ptrdiff_t>(names.sh_offset),
                                  bytes_.begin() + static_cast<ptrdiff_t>(names.sh_offset + names.sh_size));
  constexpr char kName[] = ".gnu_debuglink";
  Elf64_Shdr link{};
  link.sh_name = static_cast<Elf64_Word>(text.size());
  link.sh_type = SHT_PROGBITS;
  link.sh_addralign = 4;
  text.insert(text.end(), kName, kName + sizeof kName);
  bytes_.resize((bytes_.size() + 15) / 16 * 16);
  table[header.e_shstrndx].sh_offset = bytes_.size();
  table[header.e_shstrndx].sh_size = text.size();
  bytes_.insert(bytes_.end(), text.begin(), text.end());

  std::vector<unsigned char> content(file_name.begin(), file_name.end());
  content.resize((content.size() + 4) / 4 * 4 + 4);  // terminated, padded, checksum
  bytes_.resize((bytes_.size() + 15) / 16 * 16);
  link.sh_offset = bytes_.size();
  link.sh_size = content.size();
  bytes_.insert(bytes_.end(), content.begin(), content.end());
  table.push_back(link);

  bytes_.resize((bytes_.size() + 15) / 16 * 16);
  header.e_shoff = bytes_.size();
  header.e_shnum = static_cast<Elf64_Half>(table.size());
  put(bytes_, 0, header);
  for (const Elf64_Shdr& section : table) put(bytes_, bytes_.size(), section);
}

std::string ElfImage::write(const std::filesystem::path& file) const {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(bytes_.data()), static_cast<std::streamsize>(bytes_.size()));
  return file.string();
}

}  // namespace heddle::test
