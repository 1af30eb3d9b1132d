#include "twin/assembly.h"

#include <algorithm>

namespace heddle::twin {

namespace {

constexpr std::string_view kSpace = " \t\r";

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

std::string_view without_comment(std::string_view text) {
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted && text[i] == '#')
      return text.substr(0, i);
  }
  return text;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  bool quoted = false;
  std::string word;
  for (char c : text) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) {
      out.emplace_back(trimmed(word));
      word.clear();
    } else {
      word += c;
    }
  }
  out.emplace_back(trimmed(word));
  return out;
}

Line split(std::string_view text) {
  Line line;
  line.text = text;
  if (text.empty()) return line;
  if (text.back() == ':' && text.find_first_of(" \t,") == std::string_view::npos) {
    line.kind = Kind::kLabel;
    line.word = text.substr(0, text.size() - 1);
    if (line.word.find('"') != std::string::npos) throw Unusual("a quoted name");
    return line;
  }
  const size_t end = std::min(text.find_first_of(kSpace), text.size());
  line.kind = text[0] == '.' ? Kind::kDirective : Kind::kInstruction;
  line.word = text.substr(0, end);
  line.rest = trimmed(text.substr(end));
  return line;
}

// What is allowed to stand in a unit. Everything else is either written by hand or changes what follows in ways that are not followed here.
const std::set<std::string, std::less<>> kData = {".ascii", ".asciz", ".string", ".byte",   ".value",   ".short",   ".2byte",  ".long",
                                                  ".4byte", ".int",   ".quad",   ".8byte",  ".octa",    ".zero",    ".skip",   ".fill",
                                                  ".space", ".float", ".double", ".tfloat", ".uleb128", ".sleb128", ".string8"};
const std::set<std::string, std::less<>> kNames = {".globl", ".global", ".weak", ".hidden", ".protected", ".internal", ".local"};
const std::set<std::string, std::less<>> kPassing = {".align", ".p2align", ".balign",      ".file", ".loc",
                                                     ".ident", ".addrsig", ".addrsig_sym", ".type", ".size"};

Section known_section(const std::string& name) {
  const auto is = [&](std::string_view prefix) { return name == prefix || name.rfind(std::string(prefix) + ".", 0) == 0; };
  if (is(".text")) return {name, "ax", {}, "@progbits", {}};
  if (is(".rodata")) return {name, "a", {}, "@progbits", {}};
  if (is(".bss")) return {name, "aw", {}, "@nobits", {}};
  if (is(".tbss")) return {name, "awT", {}, "@nobits", {}};
  if (is(".tdata")) return {name, "awT", {}, "@progbits", {}};
  if (is(".data") || is(".init_array") || is(".fini_array") || is(".ctors") || is(".dtors")) return {name, "aw", {}, "@progbits", {}};
  if (is(".gcc_except_table")) return {name, "a", {}, "@progbits", {}};
  return {name, "", {}, "@progbits", {}};
}

class Reader {
 public:
  Unit read(std::string_view text) {
    find_functions(text);
    enter(known_section(".text"));
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      read_line(trimmed(text.substr(at, end - at)));
      at = end + 1;
    }
    for (auto& [name, object] : unit_.objects) object.labels = labels_[name];
    return std::move(unit_);
  }

 private:
  void find_functions(std::string_view text) {
    for (size_t at = 0; (at = text.find("\t.type\t", at)) != std::string_view::npos;) {
      at += 7;
      const std::string_view line = without_comment(text.substr(at, text.find('\n', at) - at));
      const std::vector<std::string> parts = words(line);
      if (parts.size() == 2 && (parts[1] == "@function" || parts[1] == "%function")) {
        if (!is_local_label(parts[0])) unit_.functions.insert(parts[0]);
      } else if (parts.size() == 2 && parts[1].find("indirect") != std::string::npos) {
        throw Unusual("an indirect function");
      }
    }
  }

  void read_line(std::string_view raw) {
    // gcc marks each statement once more between these two, and goes on with its own lines before the second.
    if (raw == "#APP" || (within_ && raw.substr(0, 2) == "# " && raw.size() > 2 && raw.substr(raw.size() - 2) == " 1"))
      within_ = by_hand_ = true;
    if (raw == "#NO_APP") within_ = by_hand_ = false;
    if (raw == "# 0 \"\" 2") by_hand_ = false;
    Line line = split(trimmed(without_comment(raw)));
    line.section = section_;
    const bool aligns = line.kind == Kind::kDirective && line.word.find("align") != std::string::npos;
    if (by_hand_ && !aligns) {
      if (line.kind == Kind::kDirective || (line.kind == Kind::kLabel && !is_number(line.word)))
        throw Unusual("assembly that is more than instructions");
      if (line.kind != Kind::kNothing) {
        for (size_t at = 0; (at = line.text.find(';', at)) != std::string::npos;) {
          if (trimmed(std::string_view(line.text).substr(++at)).substr(0, 1) == ".") throw Unusual("a directive in assembly");
        }
        line.kind = Kind::kInstruction;
      }
    }
    switch (line.kind) {
      case Kind::kNothing: break;
      case Kind::kLabel: read_label(&line); break;
      case Kind::kDirective: read_directive(&line); break;
      case Kind::kInstruction:
        if (!section().executes() || current_[section_].empty()) throw Unusual("an instruction outside of a function");
        line.function = current_[section_];
        break;
    }
    unit_.lines.push_back(std::move(line));
  }

  static bool is_number(const std::string& word) {
    return std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  }

  void read_label(Line* line) {
    const std::string& name = line->word;
    if (section().executes()) {
      if (unit_.functions.count(name) != 0) {
        current_[section_] = name;
        unit_.home[name] = section_;
        define(name);
      } else if (!is_local_label(name)) {
        throw Unusual("the label " + name + " in code");
      }
      line->function = current_[section_];
      if (is_local_label(name)) unit_.label_owners[name] = whole_function(current_[section_]);
      return;
    }
    const bool apart = is_local_label(name) && !is_local_alias(name);
    if (!apart && section().name.rfind(".gcc_except_table", 0) != 0 && !is_local_alias(name)) {
      if (unit_.functions.count(name) != 0) throw Unusual("a function among data");
      object_ = name;
      define(name);
      unit_.objects[name] = {section().name, {}, section().writes(), {}};
    } else if (apart) {
      object_.clear();
    }
    line->object = object_;
  }

  void read_directive(Line* line) {
    const std::string& word = line->word;
    const std::vector<std::string> parts = words(line->rest);
    if (word == ".text" || word == ".data" || word == ".bss") return enter(known_section(word));
    if (word == ".section") return enter(parsed(parts));
    if (word.rfind(".cfi_", 0) == 0) {
      line->function = current_[section_];
      return;
    }
    if (kNames.count(word) != 0) {
      for (const std::string& name : parts) {
        if (word != ".local") unit_.global.insert(name);
      }
      return;
    }
    if (word == ".comm" || word == ".lcomm") {
      unit_.objects[parts[0]] = {word, line->rest, true, {}};
      define(parts[0]);
      return;
    }
    if (word == ".set") {
      if (!is_local_label(parts[0])) define(parts[0]);
      return;
    }
    if (word == ".size" && unit_.functions.count(parts[0]) != 0) {
      line->function = parts[0];
      current_[section_].clear();
      return;
    }
    if (kPassing.count(word) != 0) return;
    if (kData.count(word) == 0) throw Unusual("the directive " + word);
    if (section().executes()) {  // prefixes, by which the linker knows the calls for thread-local variables
      if ((word != ".byte" && word != ".value") || current_[section_].empty()) throw Unusual("data in code");
      line->kind = Kind::kInstruction;
      line->function = current_[section_];
      return;
    }
    line->object = object_;
    if (object_.empty()) return;
    unit_.objects[object_].content += word + " " +
                                      replace_symbols(line->rest,
                                                      [&](const std::string& name) {
                                                        if (!is_local_label(name)) return name;
                                                        labels_[object_].insert(name);
                                                        return std::string(".L");
                                                      }) +
                                      "\n";
  }

  Section parsed(const std::vector<std::string>& parts) {
    const bool quoted = parts[0].size() > 2 && parts[0][0] == '"';
    Section s = known_section(quoted ? parts[0].substr(1, parts[0].size() - 2) : parts[0]);
    if (parts.size() == 1) {
      for (const Section& seen : unit_.sections) {
        if (seen.name == s.name) return seen;
      }
      return s;
    }
    s.flags = parts[1].substr(1, parts[1].size() - 2);
    if (parts.size() > 2) s.type = parts[2];
    size_t next = 3;
    if (s.flags.find('M') != std::string::npos && parts.size() > next) s.size = parts[next++];
    if (s.flags.find('o') != std::string::npos) throw Unusual("a section that is ordered by another");
    if (s.flags.find('G') != std::string::npos) {
      if (parts.size() <= next) throw Unusual("a group without a name");
      s.group = parts[next];
    }
    if (s.name.rfind(".gnu.lto_", 0) == 0) throw Unusual("code for link-time optimisation");
    return s;
  }

  const Section& section() const { return unit_.sections[static_cast<size_t>(section_)]; }

  void enter(const Section& s) {
    object_.clear();
    for (size_t i = 0; i < unit_.sections.size(); ++i) {
      if (unit_.sections[i].name == s.name && unit_.sections[i].group == s.group) {
        section_ = static_cast<int>(i);
        return;
      }
    }
    section_ = static_cast<int>(unit_.sections.size());
    unit_.sections.push_back(s);
  }

  void define(const std::string& name) {
    if (!unit_.defined.insert(name).second) throw Unusual("two definitions of " + name);
  }

  Unit unit_;
  int section_ = 0;
  std::map<int, std::string> current_;  // the function that goes on in each section
  std::string object_;
  std::map<std::string, std::set<std::string>> labels_;
  bool within_ = false;   // of what the program's own assembly statements became
  bool by_hand_ = false;  // in one of them
};

}  // namespace

bool is_data(const Line& line) { return line.kind == Kind::kDirective && kData.count(line.word) != 0; }

bool is_local_alias(std::string_view name) {
  constexpr std::string_view kEnd = "$local";
  return is_local_label(name) && name.size() > kEnd.size() && name.substr(name.size() - kEnd.size()) == kEnd;
}

bool is_local_label(std::string_view name) { return name.substr(0, 2) == ".L"; }

std::string whole_function(const std::string& name) {
  const size_t cold = name.rfind(".cold");
  return cold != std::string::npos && cold > 0 ? name.substr(0, cold) : name;
}

Unit read_assembly(std::string_view text) {
  if (text.find(".intel_syntax") != std::string_view::npos) throw Unusual("another syntax");
  return Reader().read(text);
}

}  // namespace heddle::twin
