#pragma once
// A compiler's assembly text, read as far as two copies of one translation unit have to be told apart and put together: what is a label, what a
// directive, what an instruction, and which function or named object it belongs to. AT&T syntax, as gcc and clang write it.
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::twin {

// Something that the two copies may not agree on, or that is not understood: the object is then made of the instrumented copy alone.
struct Unusual : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Kind { kNothing, kLabel, kDirective, kInstruction };

struct Line {
  Kind kind = Kind::kNothing;
  std::string text;  // without comments and space around it
  std::string word;  // a label's name, a directive, a mnemonic
  std::string rest;  // behind the word
  int section = 0;   // index of Unit::sections
  std::string function;
  std::string object;  // the named object that this line of a data section defines
};

struct Section {
  std::string name;
  std::string flags;  // "ax"; of the sections that every assembler knows, what they are
  std::string group;  // its signature, or empty
  std::string type = "@progbits";
  std::string size;  // of an element, where sections are merged
  bool executes() const { return flags.find('x') != std::string::npos; }
  bool writes() const { return flags.find('w') != std::string::npos && name.rfind(".data.rel.ro", 0) != 0; }
};

struct Object {
  std::string section;
  std::string content;  // labels without their names
  bool writable = false;
  std::set<std::string> labels;  // local ones that it refers to
};

struct Unit {
  std::vector<Line> lines;
  std::vector<Section> sections;
  std::set<std::string> functions;                  // the pieces that are laid out apart (NAME.cold) too
  std::map<std::string, int> home;                  // section of each function
  std::map<std::string, Object> objects;            // by name
  std::set<std::string> defined;                    // functions, objects, aliases
  std::set<std::string> global;                     // visible outside, or shared by several units
  std::map<std::string, std::string> label_owners;  // local label in code: its function
};

// Throws Unusual.
Unit read_assembly(std::string_view text);

bool is_data(const Line& line);  // a directive that puts bytes somewhere
bool is_local_label(std::string_view name);
// A second name that clang gives a symbol for use within its own unit: like the symbol, and not like a label, it is not to be copied.
bool is_local_alias(std::string_view name);
// The function that a piece laid out apart belongs to: NAME of NAME.cold; else the name itself.
std::string whole_function(const std::string& name);

// Calls `use` with each symbol of an operand text and replaces it by the answer. Registers, numbers and strings are passed by.
template <typename Use>
std::string replace_symbols(std::string_view text, Use use) {
  const auto begins = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$'; };
  const auto continues = [&](char c) { return begins(c) || (c >= '0' && c <= '9'); };
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    size_t end = i + 1;
    if (c == '"') {
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
      out += text.substr(i, end - i);
    } else if (c == '%' || c == '@' || (c >= '0' && c <= '9')) {  // a register, a kind of relocation, a number
      while (end < text.size() && continues(text[end])) ++end;
      out += text.substr(i, end - i);
    } else if (c == '$') {  // an immediate: what follows may be a symbol
      out += c;
    } else if (begins(c)) {
      while (end < text.size() && continues(text[end])) ++end;
      const std::string name(text.substr(i, end - i));
      out += name == "." ? name : use(name);
    } else {
      out += c;
    }
    i = end;
  }
  return out;
}

}  // namespace heddle::twin
