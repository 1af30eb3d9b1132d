#include "symbols/symbols_elf.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <new>

#include "symbols/symbols_names.h"

namespace heddle::symbols {
namespace {

constexpr off_t kLargestFile = off_t{4} << 30;
constexpr const char* kDebugRoot = "/usr/lib/debug";
// Functions written in assembly often have no size; beyond this a guess from the previous symbol misleads.
constexpr uint64_t kLongestUnsizedSymbol = 4096;

std::string to_hex(const unsigned char* bytes, size_t count) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * count);
  for (size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

std::string read_build_id(Elf* elf) {
  const void* bytes = nullptr;
  ssize_t count = dwelf_elf_gnu_build_id(elf, &bytes);
  if (count <= 0 || bytes == nullptr) return {};
  return to_hex(static_cast<const unsigned char*>(bytes), static_cast<size_t>(count));
}

// The CRC-32 that .gnu_debuglink carries (reflected polynomial 0xedb88320).
uint32_t crc32(const char* bytes, size_t count) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> rows{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t row = i;
      for (int bit = 0; bit < 8; ++bit) row = (row >> 1) ^ ((row & 1) != 0 ? 0xedb88320u : 0u);
      rows[i] = row;
    }
    return rows;
  }();
  uint32_t crc = ~0u;
  for (size_t i = 0; i < count; ++i) crc = table[(crc ^ static_cast<unsigned char>(bytes[i])) & 0xff] ^ (crc >> 8);
  return ~crc;
}

struct Image {
  std::unique_ptr<char[]> bytes;
  size_t size = 0;
};

// Null if it is no regular file of a sensible size.
Image read_image(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return {};
  Image image;
  struct stat status {};
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= kLargestFile) {
    auto size = static_cast<size_t>(status.st_size);
    image.bytes.reset(new (std::nothrow) char[size + 1]);
    while (image.bytes != nullptr && image.size < size) {
      ssize_t got = read(fd, image.bytes.get() + image.size, size - image.size);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      image.size += static_cast<size_t>(got);
    }
    if (image.bytes != nullptr) image.bytes[image.size] = '\0';
  }
  ::close(fd);
  return image;
}

// Of several names for one address, the one a reader knows: pthread_mutex_lock, not __pthread_mutex_lock.
bool is_better_name(std::string_view a, bool a_global, std::string_view b, bool b_global) {
  auto underscores = [](std::string_view name) {
    // A mangled name's underscore is not a reserved name's.
    if (name.starts_with("_Z")) return size_t{0};
    size_t count = name.find_first_not_of('_');
    return count == std::string_view::npos ? name.size() : count;
  };
  if (underscores(a) != underscores(b)) return underscores(a) < underscores(b);
  if (a_global != b_global) return a_global;
  if (a.size() != b.size()) return a.size() < b.size();
  return a < b;
}

struct Candidate {
  ElfSymbol symbol;
  bool global;
};

std::vector<ElfSymbol> one_for_each_address(std::vector<Candidate> all) {
  std::sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    if (a.symbol.value != b.symbol.value) return a.symbol.value < b.symbol.value;
    bool a_sized = a.symbol.size != 0;
    bool b_sized = b.symbol.size != 0;
    if (a_sized != b_sized) return a_sized;
    return is_better_name(a.symbol.name, a.global, b.symbol.name, b.global);
  });
  std::vector<ElfSymbol> symbols;
  symbols.reserve(all.size());
  for (const Candidate& candidate : all) {
    if (symbols.empty() || symbols.back().value != candidate.symbol.value) symbols.push_back(candidate.symbol);
  }
  return symbols;
}

}  // namespace

std::unique_ptr<ElfFile> ElfFile::open(const std::string& path) {
  if (elf_version(EV_CURRENT) == EV_NONE) return nullptr;
  Image image = read_image(path);
  if (image.bytes == nullptr || image.size < sizeof(Elf64_Ehdr)) return nullptr;
  Elf* elf = elf_memory(image.bytes.get(), image.size);
  GElf_Ehdr header;
  if (elf == nullptr || elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == nullptr) {
    elf_end(elf);
    return nullptr;
  }
  return std::unique_ptr<ElfFile>(new ElfFile(path, std::move(image.bytes), image.size, elf));
}

ElfFile::ElfFile(std::string path, std::unique_ptr<char[]> image, size_t size, Elf* elf)
    : path_(std::move(path)), image_(std::move(image)), size_(size), elf_(elf) {
  build_id_ = read_build_id(elf_);
  read_segments();
}

ElfFile::~ElfFile() { elf_end(elf_); }

void ElfFile::read_segments() {
  size_t count = 0;
  if (elf_getphdrnum(elf_, &count) != 0) return;
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf_, static_cast<int>(i), &segment) == nullptr) break;
    if (segment.p_type != PT_LOAD || segment.p_memsz > UINT64_MAX - segment.p_vaddr) continue;
    segments_.push_back({segment.p_vaddr, segment.p_vaddr + segment.p_memsz, (segment.p_flags & PF_X) != 0});
  }
}

bool ElfFile::is_code(uint64_t address) const {
  if (segments_.empty()) return true;
  return std::any_of(segments_.begin(), segments_.end(),
                     [&](const Segment& segment) { return segment.executable && address >= segment.begin && address < segment.end; });
}

bool ElfFile::is_loaded(uint64_t address) const {
  if (segments_.empty()) return true;
  return std::any_of(segments_.begin(), segments_.end(),
                     [&](const Segment& segment) { return address >= segment.begin && address < segment.end; });
}

ElfFile::SymbolTable ElfFile::read_symbols() const {
  Elf_Scn* table = nullptr;
  GElf_Shdr table_header{};
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    bool is_full = header.sh_type == SHT_SYMTAB;
    if (!is_full && header.sh_type != SHT_DYNSYM) continue;
    table = section;
    table_header = header;
    if (is_full) break;
  }
  Elf_Data* data = table != nullptr ? elf_getdata(table, nullptr) : nullptr;
  if (data == nullptr || data->d_buf == nullptr) return {};

  std::vector<Candidate> functions;
  std::vector<Candidate> objects;
  size_t entry_size = gelf_fsize(elf_, ELF_T_SYM, 1, EV_CURRENT);
  if (entry_size == 0) return {};
  size_t count = std::min<size_t>(data->d_size / entry_size, INT32_MAX);
  for (size_t i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS || symbol.st_name == 0) continue;
    unsigned char type = GELF_ST_TYPE(symbol.st_info);
    bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
    if (!is_function && type != STT_OBJECT) continue;
    const char* name = elf_strptr(elf_, table_header.sh_link, symbol.st_name);
    if (name == nullptr || *name == '\0') continue;
    std::string_view text(name);
    text = text.substr(0, text.find('@'));  // a symbol version
    if (text.empty()) continue;
    Candidate candidate{{symbol.st_value, symbol.st_size, text}, GELF_ST_BIND(symbol.st_info) != STB_LOCAL};
    (is_function ? functions : objects).push_back(candidate);
  }
  return {one_for_each_address(std::move(functions)), one_for_each_address(std::move(objects))};
}

bool ElfFile::matches_debug_link(const ElfFile& debug, uint32_t crc) const {
  if (!build_id_.empty() && !debug.build_id_.empty()) return build_id_ == debug.build_id_;
  return crc32(debug.image_.get(), debug.size_) == crc;
}

std::unique_ptr<ElfFile> ElfFile::open_debug_file() const {
  if (build_id_.size() > 2) {
    std::string by_id = std::string(kDebugRoot) + "/.build-id/" + build_id_.substr(0, 2) + "/" + build_id_.substr(2) + ".debug";
    if (auto debug = open(by_id); debug != nullptr && debug->build_id_ == build_id_) return debug;
  }
  GElf_Word crc = 0;
  const char* link = dwelf_elf_gnu_debuglink(elf_, &crc);
  if (link == nullptr || *link == '\0') return nullptr;
  std::error_code error;
  std::filesystem::path real = std::filesystem::canonical(path_, error);
  std::filesystem::path directory = (error ? std::filesystem::path(path_) : real).parent_path();
  const std::filesystem::path places[] = {directory / link, directory / ".debug" / link,
                                          std::filesystem::path(kDebugRoot + directory.string()) / link};
  for (const std::filesystem::path& place : places) {
    if (place == real) continue;
    if (auto debug = open(place.string()); debug != nullptr && matches_debug_link(*debug, crc)) return debug;
  }
  return nullptr;
}

std::optional<ElfSymbol> covering_symbol(const std::vector<ElfSymbol>& sorted, uint64_t address) {
  auto next =
      std::upper_bound(sorted.begin(), sorted.end(), address, [](uint64_t value, const ElfSymbol& symbol) { return value < symbol.value; });
  // An inner label may hide the function around it: look a few symbols back for one that is large enough.
  for (int steps = 0; next != sorted.begin() && steps < 8; ++steps) {
    --next;
    uint64_t distance = address - next->value;
    uint64_t reach = next->size != 0 ? next->size : (steps == 0 ? kLongestUnsizedSymbol : 0);
    if (distance < reach) return *next;
  }
  return std::nullopt;
}

ModuleElf::ModuleElf(const std::string& path) : file_(ElfFile::open(path)) {}

void ModuleElf::look_for_debug_file() {
  if (file_ != nullptr && debug_file_ == nullptr) debug_file_ = file_->open_debug_file();
}

const ElfFile::SymbolTable& ModuleElf::symbols() {
  if (!symbols_.has_value()) {
    symbols_.emplace();
    if (debug_file_ != nullptr) symbols_ = debug_file_->read_symbols();
    // A debug file may come without symbols.
    if (file_ != nullptr && symbols_->functions.empty() && symbols_->objects.empty()) symbols_ = file_->read_symbols();
  }
  return *symbols_;
}

std::optional<std::string> cxx_name(const std::optional<ElfSymbol>& symbol, uint64_t address) {
  if (!symbol.has_value() || symbol->value != address || !symbol->name.starts_with("_Z")) return std::nullopt;
  std::string name = demangle(std::string(symbol->name));
  if (name == symbol->name) return std::nullopt;
  return name.substr(0, name.find(" [clone "));
}

}  // namespace heddle::symbols
