#include "symbols/machine_code.h"

#include <Zydis/Zydis.h>
#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "symbols/symbols_elf.h"

namespace heddle::symbols {

// A part of the file as it is loaded.
struct CodeSegment {
  uint64_t address, size;
  const uint8_t* bytes;
};

namespace {

int register_number(ZydisRegister reg) {
  if (reg < ZYDIS_REGISTER_RAX || reg > ZYDIS_REGISTER_R15) return -1;
  return static_cast<int>(reg) - static_cast<int>(ZYDIS_REGISTER_RAX);
}

// Only addresses of 64 bits, without a segment but that of the thread, can be computed from the registers that are kept.
bool is_understood(const ZydisDecodedOperand& o) {
  const auto known = [](ZydisRegister r) { return r == ZYDIS_REGISTER_NONE || r == ZYDIS_REGISTER_RIP || register_number(r) >= 0; };
  return known(o.mem.base) && known(o.mem.index) && o.mem.type == ZYDIS_MEMOP_TYPE_MEM;
}

MemoryOperand memory_of(const ZydisDecodedOperand& o, uint64_t end) {
  MemoryOperand m;
  m.base = register_number(o.mem.base);
  m.index = register_number(o.mem.index);
  m.scale = o.mem.scale == 0 ? uint8_t{1} : o.mem.scale;
  m.size = static_cast<uint8_t>(std::min<unsigned>(o.size / 8, 255));
  m.reads = (o.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
  m.writes = (o.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
  m.of_thread = o.mem.segment == ZYDIS_REGISTER_FS || o.mem.segment == ZYDIS_REGISTER_GS;
  m.known = is_understood(o) && o.mem.segment != ZYDIS_REGISTER_GS;
  m.implied = o.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
  m.displacement = o.mem.disp.has_displacement != 0 ? o.mem.disp.value : 0;
  m.of_instruction = o.mem.base == ZYDIS_REGISTER_RIP;
  if (m.of_instruction) m.displacement += static_cast<int64_t>(end);
  return m;
}

Instruction::Kind kind_of(const ZydisDecodedInstruction& z, const ZydisDecodedOperand* operands) {
  using Kind = Instruction::Kind;
  const bool relative = z.operand_count > 0 && operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operands[0].imm.is_relative != 0;
  switch (z.meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
      // loop and jrcxz have no long form.
      return relative && z.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE && z.mnemonic != ZYDIS_MNEMONIC_LOOP &&
                     z.mnemonic != ZYDIS_MNEMONIC_LOOPE && z.mnemonic != ZYDIS_MNEMONIC_LOOPNE && z.mnemonic != ZYDIS_MNEMONIC_JRCXZ &&
                     z.mnemonic != ZYDIS_MNEMONIC_JECXZ && z.mnemonic != ZYDIS_MNEMONIC_XBEGIN
                 ? Kind::kBranch
                 : Kind::kNotCopied;
    case ZYDIS_CATEGORY_UNCOND_BR:
      if (z.mnemonic != ZYDIS_MNEMONIC_JMP) return Kind::kNotCopied;
      return relative ? Kind::kJump : Kind::kIndirectJump;
    case ZYDIS_CATEGORY_CALL: return Kind::kCall;
    case ZYDIS_CATEGORY_RET: return Kind::kReturn;
    // What looks at where it is, or leaves for the kernel, is not the same elsewhere.
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_INTERRUPT: return Kind::kNotCopied;
    default: return Kind::kPlain;
  }
}

constexpr int kLowHalf = 3;  // rbx: the low half of what cmpxchg16b writes

bool compares_and_swaps(const ZydisDecodedInstruction& z) {
  return z.mnemonic == ZYDIS_MNEMONIC_CMPXCHG || z.mnemonic == ZYDIS_MNEMONIC_CMPXCHG16B || z.mnemonic == ZYDIS_MNEMONIC_CMPXCHG8B;
}

// The register that memory is exchanged with, where its value is in the low bits.
int other_register(const ZydisDecodedInstruction& z, const ZydisDecodedOperand* operands) {
  for (unsigned k = 0; k < z.operand_count_visible; ++k) {
    if (operands[k].type != ZYDIS_OPERAND_TYPE_REGISTER) continue;
    const ZydisRegister reg = operands[k].reg.value;
    if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH) return -1;
    return register_number(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg));
  }
  return -1;
}

uint32_t register_bit(ZydisRegister reg) {
  if (ZydisRegisterGetClass(reg) == ZYDIS_REGCLASS_FLAGS) return Instruction::kFlags;
  const int number = register_number(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg));
  return number >= 0 ? 1u << number : 0;
}

constexpr int kReplacing = 32;  // bits of a register whose writing changes all of it

void note_registers(const ZydisDecodedInstruction& z, const ZydisDecodedOperand* operands, Instruction& i) {
  for (unsigned k = 0; k < z.operand_count; ++k) {
    const ZydisDecodedOperand& o = operands[k];
    // lea: it accesses nothing, its registers are what the result depends on.
    if (o.type == ZYDIS_OPERAND_TYPE_MEMORY && o.mem.type == ZYDIS_MEMOP_TYPE_AGEN)
      i.reads |= register_bit(o.mem.base) | register_bit(o.mem.index);
    if (o.type != ZYDIS_OPERAND_TYPE_REGISTER) continue;
    const uint32_t bit = register_bit(o.reg.value);
    if ((o.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0) i.reads |= bit;
    if ((o.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0) i.writes |= bit;
    if ((o.actions & ZYDIS_OPERAND_ACTION_WRITE) != 0 && o.size >= kReplacing) i.replaces |= bit;
  }
  const bool to_itself = z.operand_count >= 2 && operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                         operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER && operands[0].reg.value == operands[1].reg.value;
  // How a register is made zero: the result depends on nothing.
  if (to_itself && (z.mnemonic == ZYDIS_MNEMONIC_XOR || z.mnemonic == ZYDIS_MNEMONIC_SUB)) i.reads = 0;
}

const ZydisDecoder& the_decoder() {
  static const ZydisDecoder decoder = [] {
    ZydisDecoder d;
    ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return d;
  }();
  return decoder;
}

// Its operand is an address that nothing is read from, and that may be anything: what fills the space before a loop, a hint to the cache.
bool only_addresses(const ZydisDecodedInstruction& z) {
  return z.meta.category == ZYDIS_CATEGORY_NOP || z.meta.category == ZYDIS_CATEGORY_WIDENOP || z.meta.category == ZYDIS_CATEGORY_PREFETCH;
}

// A mask says which parts are accessed: perhaps none, and then the address may be anything, too.
bool masked(const ZydisDecodedInstruction& z) {
  switch (z.mnemonic) {
    case ZYDIS_MNEMONIC_VMASKMOVPS:
    case ZYDIS_MNEMONIC_VMASKMOVPD:
    case ZYDIS_MNEMONIC_VPMASKMOVD:
    case ZYDIS_MNEMONIC_VPMASKMOVQ: return true;
    default: return z.avx.mask.reg != ZYDIS_REGISTER_NONE && z.avx.mask.reg != ZYDIS_REGISTER_K0;
  }
}

std::optional<Instruction> decode(const uint8_t* bytes, size_t count, uint64_t offset) {
  ZydisDecodedInstruction z;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&the_decoder(), bytes, count, &z, operands))) return std::nullopt;
  Instruction i;
  i.offset = offset;
  i.length = z.length;
  i.kind = kind_of(z, operands);
  if (i.kind == Instruction::Kind::kBranch || i.kind == Instruction::Kind::kJump || i.kind == Instruction::Kind::kCall) {
    if (operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operands[0].imm.is_relative != 0)
      i.target = i.end() + static_cast<uint64_t>(operands[0].imm.value.s);
    i.condition = z.opcode & 15;
  }
  for (unsigned k = 0; k < z.operand_count; ++k) {
    const ZydisDecodedOperand& o = operands[k];
    if (o.type != ZYDIS_OPERAND_TYPE_MEMORY) continue;
    if (o.mem.type == ZYDIS_MEMOP_TYPE_AGEN || only_addresses(z)) {  // no access, but its distance has to be put right
      if (o.mem.base == ZYDIS_REGISTER_RIP) i.relative_at = z.raw.disp.offset;
      continue;
    }
    if (o.mem.base == ZYDIS_REGISTER_RIP) i.relative_at = z.raw.disp.offset;
    if (o.mem.base == ZYDIS_REGISTER_EIP) i.kind = Instruction::Kind::kNotCopied;
    i.memory.push_back(memory_of(o, i.end()));
    if (masked(z)) i.memory.back().known = false;
  }
  // A bit that a register names may lie anywhere behind the address.
  const bool far_bit = z.mnemonic == ZYDIS_MNEMONIC_BT || z.mnemonic == ZYDIS_MNEMONIC_BTS || z.mnemonic == ZYDIS_MNEMONIC_BTR ||
                       z.mnemonic == ZYDIS_MNEMONIC_BTC;
  if (far_bit && z.operand_count > 1 && operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER) {
    for (MemoryOperand& m : i.memory) m.known = false;
  }
  note_registers(z, operands, i);
  i.exchanges = z.mnemonic == ZYDIS_MNEMONIC_XCHG && !i.memory.empty();
  i.swaps = compares_and_swaps(z) && z.mnemonic != ZYDIS_MNEMONIC_CMPXCHG8B;  // that one compares with two halves
  if (i.exchanges || i.swaps) i.with = z.mnemonic == ZYDIS_MNEMONIC_CMPXCHG16B ? kLowHalf : other_register(z, operands);
  i.atomic = (z.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 || i.exchanges;
  return i;
}

template <typename T>
std::optional<T> read_at(const std::vector<CodeSegment>& segments, uint64_t address) {
  for (const CodeSegment& s : segments) {
    if (address < s.address || address - s.address > s.size || s.size - (address - s.address) < sizeof(T)) continue;
    T value;
    std::memcpy(&value, s.bytes + (address - s.address), sizeof value);
    return value;
  }
  return std::nullopt;
}

}  // namespace

bool may_be_shared(const Instruction& i) {
  constexpr int kStackPointer = 4, kFramePointer = 5;
  return std::any_of(i.memory.begin(), i.memory.end(), [](const MemoryOperand& m) {
    return !m.implied && m.known && m.size != 0 && !m.of_thread && m.base != kStackPointer && m.base != kFramePointer;
  });
}

struct ModuleCode::File {
  std::unique_ptr<ElfFile> elf;
  std::vector<CodeSegment> segments;  // all that is loaded from the file
  std::vector<CodeSegment> code;
  uint64_t unwind_table = 0;  // .eh_frame_hdr

  void read_segments() {
    size_t count = 0;
    size_t image_size = 0;
    const auto* image = reinterpret_cast<const uint8_t*>(elf_rawfile(elf->elf(), &image_size));
    if (image == nullptr || elf_getphdrnum(elf->elf(), &count) != 0) return;
    for (size_t i = 0; i < count; ++i) {
      GElf_Phdr header;
      if (gelf_getphdr(elf->elf(), static_cast<int>(i), &header) == nullptr) continue;
      if (header.p_type == PT_GNU_EH_FRAME) unwind_table = header.p_vaddr;
      if (header.p_type != PT_LOAD || header.p_offset > image_size || header.p_filesz > image_size - header.p_offset) continue;
      segments.push_back({header.p_vaddr, header.p_filesz, image + header.p_offset});
      if ((header.p_flags & PF_X) != 0) code.push_back(segments.back());
    }
  }

  // The sorted table of .eh_frame_hdr as every linker writes it (Linux Standard Base, 10.6.2): pairs of distances from its own beginning, to
  // a function and to the description that says how long it is.
  std::vector<Range> read_functions() const {
    constexpr uint32_t kUsual = 0x3B031B01;  // version 1, encodings sdata4|pcrel, udata4, sdata4|datarel
    std::vector<Range> ranges;
    const auto kind = read_at<uint32_t>(segments, unwind_table);
    const auto count = read_at<uint32_t>(segments, unwind_table + 8);
    if (unwind_table == 0 || !kind || *kind != kUsual || !count) return ranges;
    for (uint32_t i = 0; i < *count; ++i) {
      const auto begin = read_at<int32_t>(segments, unwind_table + 12 + 8 * uint64_t{i});
      const auto description = read_at<int32_t>(segments, unwind_table + 16 + 8 * uint64_t{i});
      if (!begin || !description) break;
      const auto length = read_at<uint32_t>(segments, unwind_table + static_cast<uint64_t>(int64_t{*description}) + 12);
      const uint64_t at = unwind_table + static_cast<uint64_t>(int64_t{*begin});
      if (length && *length > 0) ranges.push_back({at, at + *length});
    }
    return ranges;
  }
};

// By its (mangled) name: the namespaces and prefixes of compiler-rt and of gcc's copy of it. Some handlers have them in their arguments alone.
static bool names_sanitizer(std::string_view name) {
  constexpr std::string_view kRoots[] = {"__asan", "__sanitizer", "__ubsan",        "__lsan",       "__tsan",
                                         "__msan", "__hwasan",    "__interception", "__interceptor"};
  const bool mangled = name.starts_with("_Z");
  return std::ranges::any_of(kRoots,
                             [&](std::string_view root) { return mangled ? name.find(root) != name.npos : name.starts_with(root); });
}

std::optional<size_t> DecodedFunction::at(uint64_t offset) const {
  const auto found = std::lower_bound(instructions.begin(), instructions.end(), offset,
                                      [](const Instruction& i, uint64_t wanted) { return i.offset < wanted; });
  if (found == instructions.end() || found->offset != offset) return std::nullopt;
  return static_cast<size_t>(found - instructions.begin());
}

std::optional<size_t> DecodedFunction::around(uint64_t offset) const {
  const auto after = std::upper_bound(instructions.begin(), instructions.end(), offset,
                                      [](uint64_t wanted, const Instruction& i) { return wanted < i.offset; });
  if (after == instructions.begin() || offset >= std::prev(after)->end()) return std::nullopt;
  return static_cast<size_t>(std::prev(after) - instructions.begin());
}

ModuleCode::ModuleCode(const std::string& path) : file_(std::make_unique<File>()) {
  file_->elf = ElfFile::open(path);
  if (!file_->elf) return;
  file_->read_segments();
  functions_ = file_->read_functions();
}
ModuleCode::~ModuleCode() = default;
ModuleCode::ModuleCode(ModuleCode&&) noexcept = default;

std::span<const uint8_t> ModuleCode::bytes(uint64_t offset, size_t count) const {
  for (const CodeSegment& s : file_->code) {
    if (offset < s.address || offset - s.address >= s.size) continue;
    return {s.bytes + (offset - s.address), std::min<size_t>(count, s.size - (offset - s.address))};
  }
  return {};
}

std::optional<Instruction> ModuleCode::instruction(uint64_t offset) const {
  const auto there = bytes(offset, ZYDIS_MAX_INSTRUCTION_LENGTH);
  return there.empty() ? std::nullopt : decode(there.data(), there.size(), offset);
}

std::optional<DecodedFunction> ModuleCode::function(uint64_t offset) const {
  const auto next =
      std::upper_bound(functions_.begin(), functions_.end(), offset, [](uint64_t wanted, const Range& r) { return wanted < r.begin; });
  if (next == functions_.begin() || offset >= std::prev(next)->end) return std::nullopt;
  DecodedFunction f;
  f.begin = std::prev(next)->begin;
  f.end = std::prev(next)->end;
  for (uint64_t at = f.begin; at < f.end;) {
    auto i = instruction(at);
    if (!i || i->end() > f.end) return std::nullopt;
    at = i->end();
    if (i->kind == Instruction::Kind::kIndirectJump) f.has_indirect_jump = true;
    f.instructions.push_back(std::move(*i));
  }
  return f;
}

// Without their operands, which takes a fraction of the time.
template <typename Visit>
void ModuleCode::each_instruction(Visit visit) const {
  for (const Range& r : functions_) {
    for (uint64_t at = r.begin; at < r.end;) {
      const auto there = bytes(at, ZYDIS_MAX_INSTRUCTION_LENGTH);
      ZydisDecodedInstruction z;
      if (there.empty() || !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&the_decoder(), nullptr, there.data(), there.size(), &z))) break;
      const bool with_memory = (z.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0 && z.raw.modrm.mod != 3;
      if (with_memory) visit(at, z);
      at += z.length;
    }
  }
}

bool ModuleCode::is_of_sanitizer(uint64_t offset) const {
  if (!sanitizer_) {
    sanitizer_.emplace();
    if (!file_->elf) return false;
    const ElfFile::SymbolTable symbols = file_->elf->read_symbols();
    for (const ElfSymbol& s : symbols.functions) {
      if (names_sanitizer(s.name)) sanitizer_->push_back({s.value, s.value + s.size});
    }
  }
  const auto next =
      std::upper_bound(sanitizer_->begin(), sanitizer_->end(), offset, [](uint64_t wanted, const Range& r) { return wanted < r.begin; });
  return next != sanitizer_->begin() && offset < std::prev(next)->end;
}

size_t ModuleCode::count_exchanges() const {
  size_t count = 0;
  each_instruction([&](uint64_t at, const ZydisDecodedInstruction& z) {
    const bool locked = (z.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0;
    if ((z.mnemonic == ZYDIS_MNEMONIC_XCHG || (compares_and_swaps(z) && locked)) && !is_of_sanitizer(at)) ++count;
  });
  return count;
}

std::vector<uint64_t> ModuleCode::atomic_instructions() const {
  std::vector<uint64_t> found;
  each_instruction([&](uint64_t at, const ZydisDecodedInstruction& z) {
    const bool atomic = z.mnemonic == ZYDIS_MNEMONIC_XCHG || (z.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0;
    if (atomic && !is_of_sanitizer(at)) found.push_back(at);
  });
  return found;
}

bool ModuleCode::is_target(uint64_t offset) const {
  if (!targets_) {
    targets_.emplace();
    for (const Range& r : functions_) {
      for (uint64_t at = r.begin; at < r.end;) {
        const auto i = instruction(at);
        if (!i) break;
        at = i->end();
        if (i->target != 0) targets_->push_back(i->target);
      }
    }
    std::sort(targets_->begin(), targets_->end());
  }
  return std::binary_search(targets_->begin(), targets_->end(), offset);
}

}  // namespace heddle::symbols
