#include "twin/merge.h"

#include <algorithm>

#include "twin/assembly.h"
#include "twin/function_facts.h"

namespace heddle::twin {

namespace {

constexpr const char* kSuffix = ".heddle_plain";

std::string named(const std::string& name, const std::string& prefix) { return prefix + name.substr(2); }

// Constants that a compiler has made up: each copy has its own, under names that mean nothing.
bool is_made_up(const std::string& name) {
  return name.rfind("CSWTCH.", 0) == 0 || name.rfind("switch.table.", 0) == 0 ||
         (name.rfind("C.", 0) == 0 && name.find('.', 2) != std::string::npos);
}

std::string base_name(const std::string& name) { return name.substr(0, name.find('.')); }

bool starts(const std::string& text, std::string_view with) { return text.rfind(with, 0) == 0; }

// Sections of which the instrumented copy alone is used: what runs at the start, what is told to people or to the linker.
bool is_left_out(const Section& s) {
  for (const char* name : {".init_array", ".fini_array", ".ctors", ".dtors", ".preinit_array", ".note", ".comment", ".debug", ".llvm"}) {
    if (starts(s.name, name)) return true;
  }
  return false;
}

class Merger {
 public:
  Merger(std::string_view whole, std::string_view plain, bool jump)
      : jump_(jump), whole_(read_assembly(whole)), plain_(read_assembly(plain)) {}

  std::string merge() {
    choose_names();
    compare_data();
    copy_whole();
    copy_plain();
    write_copies_of_memory();
    write_notes();
    out_ += "\t.section\t.note.GNU-stack,\"\",@progbits\n";
    return std::move(out_);
  }

 private:
  void choose_names() {
    for (const std::string& name : plain_.functions) {
      if (plain_.home.count(name) == 0) continue;
      const bool only_here = whole_.home.count(name) == 0;
      if (!only_here && whole_function(name) == name) continue;
      own_.insert(name);
      if (!only_here) continue;
      loose_groups_.insert(plain_.sections[static_cast<size_t>(plain_.home.at(name))].group);
    }
    for (const auto& [name, object] : plain_.objects) {
      if (is_made_up(name) && !object.writable) {
        own_.insert(name);
        continue;
      }
      // Its labels are those of the instrumented copy: who jumps by it would land there.
      for (const std::string& label : object.labels) {
        if (const auto owner = plain_.label_owners.find(label); owner != plain_.label_owners.end()) bound_.insert(owner->second);
      }
    }
    for (const Section& s : whole_.sections) groups_.insert(s.group);
  }

  // Both copies must work on the same data: an object is the same one in both if its name, its place and its first contents are.
  void compare_data() const {
    std::map<std::string, int> alike;
    for (const auto& [name, object] : plain_.objects) {
      if (own_.count(name) != 0) continue;
      const auto other = whole_.objects.find(name);
      if (other == whole_.objects.end()) {
        if (!object.writable) continue;  // looked for when something refers to it
        throw Unusual(name + " is in the plain copy only");
      }
      if (other->second.section != object.section || other->second.content != object.content) throw Unusual(name + " differs");
      // The compiler tells local variables of one name apart by a number, in the order in which it comes to them.
      if (name.find('.') != std::string::npos && ++alike[base_name(name)] > 1) check_users(base_name(name));
    }
  }

  static std::set<std::pair<std::string, std::string>> users(const Unit& unit, const std::string& base, const Unit& other) {
    std::set<std::pair<std::string, std::string>> found;
    for (const Line& line : unit.lines) {
      if (line.kind != Kind::kInstruction || line.rest.find(base + ".") == std::string::npos) continue;
      const std::string function = whole_function(line.function);
      if (other.home.count(function) == 0) continue;
      replace_symbols(line.rest, [&](const std::string& name) {
        if (unit.objects.count(name) != 0 && base_name(name) == base) found.insert({function, name});
        return name;
      });
    }
    return found;
  }

  void check_users(const std::string& base) const {
    if (users(whole_, base, plain_) != users(plain_, base, whole_)) throw Unusual("several variables " + base);
  }

  static std::string plain_end(const std::string& name) { return ".Lheddle_plain_end_of_" + name; }
  static std::string entry(size_t k) { return ".Lheddle_entry" + std::to_string(k); }

  // Each function gets room for a jump where it begins, before everything that its own code might jump to.
  void copy_whole() {
    static const char* kRoom = "\t.byte\t0x0f,0x1f,0x44,0,0\n";
    std::string begun;  // its room is still to come
    const auto make_room = [&] {
      const bool goes = jump_ && plain_.home.count(begun) != 0 && own_.count(begun) == 0 && bound_.count(begun) == 0;
      out_ += entry(numbers_.at(begun)) + ":\n" + (goes ? "\tjmp\t" + begun + kSuffix + "\n" : kRoom);
      begun.clear();
    };
    facts_ = facts_of_functions(whole_, &marks_);
    size_t count = 0;
    for (const auto& [name, where] : whole_.home) {
      if (whole_function(name) == name) numbers_[name] = count++;
    }
    for (size_t i = 0; i < whole_.lines.size(); ++i) {
      const Line& line = whole_.lines[i];
      if (!begun.empty()) {
        const bool before =
            line.kind == Kind::kNothing || line.kind == Kind::kDirective || (line.kind == Kind::kLabel && is_header(line.word));
        if (!before && !(line.kind == Kind::kInstruction && starts(line.word, "endbr"))) make_room();
      }
      if (line.kind == Kind::kDirective && line.word == ".size" && !line.function.empty()) {
        const std::string name = whole_function(line.function);
        if (numbers_.count(name) != 0)
          out_ += (name == line.function ? ".Lheddle_end" : ".Lheddle_cold_end") + std::to_string(numbers_[name]) + ":\n";
      }
      if (starts(line.word, ".note.GNU-stack") || (line.word == ".section" && line.rest.find(".note.GNU-stack") != std::string::npos))
        continue;
      if (line.kind != Kind::kNothing) out_ += (line.kind == Kind::kLabel ? "" : "\t") + line.text + "\n";
      if (line.kind == Kind::kLabel && numbers_.count(line.word) != 0) begun = line.word;
      if (line.kind == Kind::kLabel && whole_.home.count(line.word) != 0 && whole_function(line.word) != line.word &&
          numbers_.count(whole_function(line.word)) != 0) {
        out_ += ".Lheddle_cold" + std::to_string(numbers_[whole_function(line.word)]) + ":\n";
        cold_.insert(whole_function(line.word));
      }
      if (const auto mark = marks_.find(i); mark != marks_.end()) out_ += mark->second + ":\n";
    }
    if (!begun.empty()) throw Unusual("a function without code");
  }

  // Labels that a compiler puts at the beginning of every function, for tables.
  static bool is_header(const std::string& label) {
    return starts(label, ".LFB") || starts(label, ".Lfunc_begin") || starts(label, ".LVL") || starts(label, ".LHOTB") ||
           is_local_alias(label);
  }

  std::string renamed(const std::string& name) {
    if (is_local_alias(name)) return name;
    if (is_local_label(name)) return named(name, ".Lheddle_plain_");
    if (own_.count(name) != 0) return name + kSuffix;
    if (plain_.defined.count(name) != 0 && whole_.defined.count(name) == 0) throw Unusual(name + " is used and in the plain copy only");
    return name;
  }
  std::string renamed_all(const std::string& text) {
    return replace_symbols(text, [&](const std::string& name) { return renamed(name); });
  }

  std::string copied_instruction(const Line& line) {
    // What a function without a result leaves in the register of results must not depend on which copy ran: nothing, as the hook at its end has it.
    if (starts(line.word, "ret")) {
      const auto own = facts_.find(whole_function(line.function));
      if (own != facts_.end() && own->second.no_result) return "\txorl\t%eax, %eax\n\t" + line.text + "\n";
    }
    const std::string target = line.rest.substr(0, line.rest.find("@PLT"));
    const bool calls = starts(line.word, "call") || starts(line.word, "jmp");
    if (calls && (target == "memcpy" || target == "memmove" || target == "memset") && plain_.defined.count(target) == 0) {
      memory_.insert(target);
      return "\t" + line.word + "\t.Lheddle_" + target + "\n";
    }
    return "\t" + line.word + "\t" + renamed_all(line.rest) + "\n";
  }

  void write_section(const Section& s) {
    std::string name = s.name, flags = s.flags;
    const bool loose = !s.group.empty() && (groups_.count(s.group) == 0 || loose_groups_.count(s.group) != 0);
    if (loose) {
      name += kSuffix;
      flags.erase(std::remove(flags.begin(), flags.end(), 'G'), flags.end());
    }
    out_ += "\t.section\t" + name + ",\"" + flags + "\"," + s.type;
    if (!s.size.empty()) out_ += "," + s.size;
    if (!s.group.empty() && !loose) out_ += "," + s.group + ",comdat";
    out_ += "\n";
  }

  bool is_dropped(const Line& line) const { return !line.object.empty() && own_.count(line.object) == 0; }

  void copy_plain() {
    int section = -1;
    std::string label;
    for (const Line& line : plain_.lines) {
      const Section& s = plain_.sections[static_cast<size_t>(line.section)];
      if (line.kind == Kind::kNothing || is_left_out(s) || is_dropped(line)) continue;
      std::string text;
      if (line.kind == Kind::kLabel) text = copied_label(line, s);
      if (line.kind == Kind::kDirective) text = copied_directive(line);
      if (line.kind == Kind::kInstruction) text = copied_instruction(line);
      if (text.empty()) continue;
      if (line.kind == Kind::kLabel) label = line.word;
      // clang's pointers to types of exceptions lie among writable data, and nobody writes them.
      if (s.writes() && is_data(line) && label.find(".DW.stub") == std::string::npos) throw Unusual("writable data without a name");
      if (section != line.section) write_section(s);
      section = line.section;
      out_ += text;
    }
  }

  std::string copied_label(const Line& line, const Section& s) {
    if (is_local_alias(line.word)) return "";
    if (plain_.home.count(line.word) != 0) return line.word + kSuffix + ":\n";
    if (!is_local_label(line.word) && !s.executes() && own_.count(line.word) == 0) return "";  // the name of an exception table
    return renamed(line.word) + ":\n";
  }

  std::string copied_directive(const Line& line) {
    const std::string& word = line.word;
    if (word == ".section" || word == ".text" || word == ".data" || word == ".bss" || word == ".file" || word == ".loc" ||
        word == ".ident" || starts(word, ".addrsig") || word == ".cfi_sections" || word == ".comm" || word == ".lcomm" || word == ".local")
      return "";
    const std::string first = line.rest.substr(0, line.rest.find_first_of(", \t"));
    if (word == ".globl" || word == ".global" || word == ".weak" || word == ".hidden" || word == ".protected" || word == ".internal")
      return plain_.defined.count(first) != 0 || own_.count(first) != 0 ? "" : "\t" + line.text + "\n";
    if (word == ".type" || word == ".size") {
      if (plain_.home.count(first) == 0 && own_.count(first) == 0) return "";
      const bool ends = word == ".size" && plain_.home.count(first) != 0;
      return (ends ? plain_end(first) + ":\n" : "") + "\t" + word + "\t" +
             replace_symbols(line.rest, [&](const std::string& name) { return name == first ? name + kSuffix : renamed(name); }) + "\n";
    }
    if (word == ".set" && !is_local_label(first)) return "";
    if (word == ".set" && is_local_alias(first)) return "";
    if (starts(word, ".cfi_") || word == ".align" || word == ".p2align" || word == ".balign") {
      return "\t" + word + "\t" + (word == ".cfi_lsda" || word == ".cfi_personality" ? renamed_all(line.rest) : line.rest) + "\n";
    }
    return "\t" + word + "\t" + renamed_all(line.rest) + "\n";
  }

  // The linker turns memcpy and its like to our hooks; plain code is to get to the C library, by names that nobody turns. The checked forms take
  // the size of the target as a fourth argument.
  void write_copies_of_memory() {
    if (memory_.empty()) return;
    out_ += "\t.text\n";
    for (const std::string& name : memory_)
      out_ += ".Lheddle_" + name + ":\n\tmovq\t$-1, %rcx\n\tjmp\t*__" + name + "_chk@GOTPCREL(%rip)\n";
  }

  void write_notes() {
    const std::string unit = std::to_string(hash_name(out_));  // tells functions of one name in several units apart
    const auto identity = [&](const std::string& name) {
      const bool local = whole_.defined.count(name) != 0 && whole_.global.count(name) == 0;
      return hash_name(local ? name + "@" + unit : name);
    };
    std::map<size_t, std::string> unused;
    const std::map<std::string, FunctionFacts> copies = facts_of_functions(plain_, &unused);
    for (const auto& [name, k] : numbers_) {
      const auto copy = copies.find(name);
      const bool twin = copy != copies.end() && own_.count(name) == 0;
      const bool cold = cold_.count(name) != 0;
      Note note;
      note.entry = entry(k);
      if (twin) note.plain = name + kSuffix, note.plain_end = plain_end(name);
      note.end = ".Lheddle_end" + std::to_string(k);
      if (cold) note.cold = ".Lheddle_cold" + std::to_string(k), note.cold_end = ".Lheddle_cold_end" + std::to_string(k);
      note.name = identity(name);
      const FunctionFacts& own = facts_[name];
      note.flags = own.flags | (twin ? copy->second.flags : 0);
      if (twin && (bypasses(copy->second) || bound_.count(name) != 0)) note.flags |= kTwinOpaque;
      note.loops = own.loops;
      for (const auto& [callee, times] : own.callees) {
        const bool called = twin && copy->second.callees.count(callee) != 0 && copy->second.callees.at(callee) >= times;
        (called ? note.called : note.inlined).push_back(identity(callee));
      }
      if (twin) {
        for (const auto& [callee, times] : copy->second.callees) {
          if (own.callees.count(callee) == 0) note.called.push_back(identity(callee));
        }
      }
      const Section& s = whole_.sections[static_cast<size_t>(whole_.home.at(name))];
      out_ += written(note, s.group);
    }
  }

  // Does it call a function of the plain copy directly, of which the instrumented copy has no like?
  bool bypasses(const FunctionFacts& copy) const {
    return std::any_of(copy.callees.begin(), copy.callees.end(), [&](const auto& callee) { return own_.count(callee.first) != 0; });
  }

  bool jump_;
  Unit whole_;
  Unit plain_;
  std::set<std::string> own_;           // symbols of which the plain copy uses its own
  std::set<std::string> groups_;        // signatures of the instrumented copy
  std::set<std::string> loose_groups_;  // of the plain one, with functions that a linker might throw away with another unit's
  std::set<std::string> bound_;         // functions of the plain copy whose labels stand in data
  std::set<std::string> memory_;
  std::set<std::string> cold_;
  std::map<std::string, size_t> numbers_;  // of the functions of the instrumented copy
  std::map<std::string, FunctionFacts> facts_;
  std::map<size_t, std::string> marks_;  // labels to put behind a line
  std::string out_;
};

}  // namespace

std::string merge(std::string_view instrumented, std::string_view plain, bool jump) { return Merger(instrumented, plain, jump).merge(); }

}  // namespace heddle::twin
