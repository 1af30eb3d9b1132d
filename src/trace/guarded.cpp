#include "trace/guarded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "trace/similar_text.h"

namespace heddle::trace {

namespace {

constexpr int kMostLines = 80;        // between two operations; a longer stretch is more than a critical section
constexpr int kLongestFile = 20'000;  // lines
constexpr size_t kMostStatements = 400;
constexpr double kSameStatement = 0.6;

bool acquires_lock(Op op) {
  const Family family = row(op).family;
  return (family == Family::kMutexes || family == Family::kRwlocks) && has(op, kAcquires);
}
bool releases_lock(Op op) {
  const Family family = row(op).family;
  return (family == Family::kMutexes || family == Family::kRwlocks) && has(op, kReleases);
}

bool is_access(Op op) { return row(op).family == Family::kMemory || row(op).family == Family::kAtomics; }

// Two accesses of one statement, which did not come round again in between.
bool in_one_statement(const PlacedTrace& placed, size_t from, size_t to) {
  const Event &a = placed.trace().events()[from], &b = placed.trace().events()[to];
  if (!is_access(a.op) || !is_access(b.op)) return false;
  const SourcePlace &p = placed.operations()[placed.operation(from)].place, &q = placed.operations()[placed.operation(to)].place;
  if (p.file != q.file || p.line != q.line || site_module(a.site) != site_module(b.site)) return false;
  // One instruction may read and then write.
  return site_offset(a.site) < site_offset(b.site) || (a.site == b.site && has(a.op, kReads) && !has(a.op, kWrites) && has(b.op, kWrites));
}

void sort_unique(std::vector<std::string>& texts) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  if (texts.size() > kMostStatements) texts.resize(kMostStatements);
}

// "withdraw" of "Account::withdraw".
std::string called_name(const std::string& function) {
  const size_t at = function.rfind("::");
  return at == std::string::npos ? function : function.substr(at + 2);
}

// Where the program takes locks, as far as the run shows: what follows such a line is under the lock.
class LockedPlaces {
 public:
  explicit LockedPlaces(const PlacedTrace& placed) {
    for (const PlacedOperation& o : placed.operations()) {
      if (!acquires_lock(o.op)) continue;
      lines_.insert({o.place.file, o.place.line});
      functions_.insert(called_name(o.place.function));
    }
  }
  bool line(const std::string& file, int line) const { return lines_.contains({file, line}); }
  bool function(const std::string& name) const { return functions_.contains(name); }

 private:
  std::set<std::pair<std::string, int>> lines_;
  std::set<std::string> functions_;
};

// The statements of a function of that file, whose definition begins at the left margin.
std::vector<std::string> body_of(const PlacedTrace& placed, const std::string& path, const std::string& function) {
  std::vector<std::string> body;
  bool inside = false;
  for (int line = 1; line < kLongestFile; ++line) {
    const auto text = placed.symbols().source_line(path, line);
    if (!text || (inside && text->starts_with('}'))) break;
    const size_t at = text->find(function + "(");
    const bool name = at != std::string::npos && at > 0 && ((*text)[at - 1] == ' ' || (*text)[at - 1] == '*' || (*text)[at - 1] == ':');
    if (inside) body.push_back(placed.symbols().source_statement(path, line).value_or(""));
    if (!inside && name && (*text)[0] != ' ' && (*text)[0] != '\t' && text->find(';') == std::string::npos) inside = true;
  }
  return body;
}

// What is called from those statements and takes no lock itself is done where they are.
void add_callees(const PlacedTrace& placed, const std::string& path, const LockedPlaces& locked, std::vector<std::string>* statements) {
  std::set<std::string> callees;
  for (const std::string& text : *statements) {
    for (size_t at = text.find('('); at != std::string::npos; at = text.find('(', at + 1)) {
      size_t begin = at;
      while (begin > 0 && (std::isalnum(static_cast<unsigned char>(text[begin - 1])) != 0 || text[begin - 1] == '_')) --begin;
      if (begin < at) callees.insert(text.substr(begin, at - begin));
    }
  }
  for (const std::string& callee : callees) {
    if (locked.function(callee)) continue;
    const std::vector<std::string> body = body_of(placed, path, callee);
    statements->insert(statements->end(), body.begin(), body.end());
  }
}

// "std::lock_guard<std::mutex> guard(mutex);": what is locked here is unlocked at the end of the block, which the compiler says is this line, too.
bool declares_guard(const std::string& text) {
  if (text.find("unlock") != std::string::npos || text.starts_with("return ")) return false;
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  size_t end = 0;
  for (int angles = 0; end < text.size() && (angles > 0 || (text[end] != '(' && text[end] != '{' && text[end] != '=')); ++end)
    angles += text[end] == '<' ? 1 : text[end] == '>' ? -1 : 0;
  if (end == text.size()) return false;
  while (end > 0 && text[end - 1] == ' ') --end;
  size_t begin = end;
  while (begin > 0 && is_letter(text[begin - 1])) --begin;
  // A name, and before it a type.
  return begin < end && begin > 1 && text[begin - 1] == ' ' && (is_letter(text[begin - 2]) || text[begin - 2] == '>');
}

// "int take() {", "private:", "class Stock {": what begins outside of functions.
bool begins_definition(const std::string& text) {
  static const std::set<std::string> kStatements = {"if", "else", "for", "while", "switch", "do", "try", "catch", "return", "case"};
  static const std::set<std::string> kScopes = {"private:", "public:", "protected:"};
  static const std::set<std::string> kTypes = {"class", "struct", "union", "enum", "namespace", "template"};
  const std::string first = text.substr(0, text.find_first_of(" (<"));
  if (kScopes.contains(text)) return true;
  if (kStatements.contains(first) || text.find_first_of("=[") != std::string::npos) return false;
  return kTypes.contains(first) || (text.find('(') != std::string::npos && text.ends_with('{'));
}

// The lines from one operation to the next: to its line, to the call that leads there, or, where it comes round again or nothing follows, to the end of
// the block; `bare`: no further than a line that takes a lock.
std::vector<std::string> lines_between(const PlacedTrace& placed, uint32_t from, uint32_t to, bool bare, const LockedPlaces& locked) {
  const SourcePlace& a = placed.operations()[from].place;
  const SourcePlace& b = placed.operations()[to].place;
  std::vector<std::string> found;
  if (a.file.empty()) return found;
  const bool same = a.file == b.file && a.function == b.function;
  const bool elsewhere = !same && !b.file.empty();
  const bool onwards = same && b.line > a.line;
  // At the end of a block, where objects of it are destroyed: the function may end there, too.
  const bool at_end = a.text.starts_with('}');
  if (at_end && !elsewhere && (!same || b.line == a.line)) return found;
  int depth = 0;
  // Such a lock is given back at the end of the block, and what runs without it comes after that.
  bool in_block = bare && releases_lock(placed.operations()[from].op) && locked.line(a.file, a.line) && declares_guard(a.text);
  for (int line = a.line + 1; line < a.line + kMostLines; ++line) {
    if ((onwards && line >= b.line) || (bare && locked.line(a.file, line))) break;
    const auto text = placed.symbols().source_statement(placed.path(from), line);
    if (!text) break;
    if (elsewhere && text->find(called_name(b.function)) != std::string::npos) break;
    if (at_end && depth == 0 && begins_definition(*text)) return {};
    for (char c : *text) depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (in_block) {
      in_block = depth >= 0;
      depth = std::max(depth, 0);
      continue;
    }
    if (depth < 0 && !onwards) {
      // Nothing on the way says how it came there.
      if (elsewhere) found.clear();
      break;
    }
    if (!text->empty()) found.push_back(*text);
  }
  add_callees(placed, placed.path(from), locked, &found);
  return found;
}

}  // namespace

void GuardedLines::add(const GuardedLines& more) {
  held.insert(held.end(), more.held.begin(), more.held.end());
  bare.insert(bare.end(), more.bare.begin(), more.bare.end());
  sort_unique(held);
  sort_unique(bare);
}

std::set<std::string> names_in(const std::vector<std::string>& statements) {
  static const std::set<std::string> kWords = {
      "if",     "else",  "for",      "while",  "do",    "return",   "break",  "continue", "switch",  "case", "default", "int",   "long",
      "short",  "char",  "unsigned", "signed", "const", "volatile", "static", "void",     "auto",    "bool", "double",  "float", "size_t",
      "struct", "class", "new",      "delete", "this",  "true",     "false",  "NULL",     "nullptr", "std",  "sizeof",  "goto",  "assert"};
  std::set<std::string> names;
  for (const std::string& text : statements) {
    std::string word;
    char quote = '\0';
    for (size_t i = 0; i <= text.size(); ++i) {
      const char c = i < text.size() ? text[i] : ' ';
      if (quote != '\0') {
        if (c == quote) quote = '\0';
        continue;
      }
      if (c == '"') quote = c;
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (!word.empty() && c >= '0' && c <= '9');
      if (letter) {
        word += c;
        continue;
      }
      // What is called is not what is accessed, nor is a class or a namespace that qualifies another name.
      const bool qualifies = text.compare(i, 2, "::") == 0;
      if (!word.empty() && c != '(' && !qualifies && !kWords.contains(word)) names.insert(word);
      word.clear();
    }
  }
  return names;
}

namespace {

// Of the names that a statement declares, those of this thread alone: "const int seen = counter".
std::set<std::string> declared_in(const std::vector<std::string>& statements) {
  static const std::set<std::string> kNoTypes = {"return", "else", "case", "goto", "delete", "new", "throw", "do"};
  std::set<std::string> declared;
  for (const std::string& text : statements) {
    std::string word, last;
    bool joined = false;  // only spaces, * and & since the last word
    for (size_t i = 0; i <= text.size(); ++i) {
      const char c = i < text.size() ? text[i] : ';';
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (!word.empty() && c >= '0' && c <= '9')) {
        word += c;
        continue;
      }
      if (!word.empty()) {
        if (!last.empty() && joined && !kNoTypes.contains(last) && (c == ' ' || c == ';' || c == '=')) declared.insert(word);
        last = word;
        joined = true;
        word.clear();
      }
      // The end of a template's arguments is the end of a type; a comparison has a space before it.
      const bool ends_type = c == '>' && i > 0 && text[i - 1] != ' ' && text[i - 1] != '-';
      if (ends_type) {
        last = ">";
        joined = true;
      } else if (c != ' ' && c != '*' && c != '&') {
        joined = false;
      }
    }
  }
  return declared;
}

// Is a variable of that name changed, taken apart or pointed at in this statement?
bool uses_as_variable(const std::string& text, const std::string& name) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const size_t next = std::min(text.size(), text.find_first_not_of(' ', at + name.size()));
    const std::string_view behind = std::string_view(text).substr(next, 2);
    const std::string_view before = std::string_view(text).substr(at >= 2 ? at - 2 : 0, std::min<size_t>(at, 2));
    if (behind.empty()) continue;
    const bool changes = behind.size() == 2 && behind[1] == '=' && std::string_view("=!<>").find(behind[0]) == std::string_view::npos;
    const bool steps = behind == "++" || behind == "--" || before == "++" || before == "--";
    const bool assigns = behind[0] == '=' && behind != "==";
    if (changes || steps || assigns || behind[0] == '[' || behind[0] == '.' || behind == "->" || before.ends_with('&')) return true;
  }
  return false;
}

// What is written in capitals and used as no variable is a constant: no access of memory, or of none that changes.
bool names_constant(const std::string& name, const std::vector<std::string>& statements) {
  if (name.size() < 2 || std::any_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; })) return false;
  return std::none_of(statements.begin(), statements.end(), [&](const std::string& text) { return uses_as_variable(text, name); });
}

}  // namespace

std::vector<std::string> GuardedLines::guarded_names() const {
  std::vector<std::string> names;
  const std::set<std::string> unguarded = names_in(bare);
  std::set<std::string> local = declared_in(held);
  local.merge(declared_in(bare));
  for (const std::string& name : names_in(held)) {
    if (!unguarded.contains(name) && !local.contains(name)) names.push_back(name);
  }
  return names;
}

GuardedLines guarded_lines(const PlacedTrace& placed) {
  const Trace& trace = placed.trace();
  GuardedLines lines;
  std::map<uint32_t, std::set<ObjectId>> locks;
  std::vector<size_t> last(trace.threads().size(), kNoDifference);
  std::vector<bool> live(trace.threads().size(), false);
  std::set<std::tuple<uint32_t, uint32_t, bool>> seen;
  const LockedPlaces locked(placed);
  size_t alive = 0;
  for (size_t i = 0; i < trace.events().size(); ++i) {
    const Event& e = trace.events()[i];
    if (!live[e.thread]) alive += 1;
    live[e.thread] = true;
    std::set<ObjectId>& mine = locks[e.thread];
    const bool releases = releases_lock(e.op);
    // A thread that was created lives, whether it has done anything or not: from the second thread on, all counts.
    if (last[e.thread] != kNoDifference && alive > 1) {
      const uint32_t from = placed.operation(last[e.thread]);
      const uint32_t to = placed.operation(i);
      auto& all = mine.empty() ? lines.bare : lines.held;
      if (seen.insert({from, to, !mine.empty()}).second) {
        std::vector<std::string> more;
        if (!in_one_statement(placed, last[e.thread], i)) more = lines_between(placed, from, to, mine.empty(), locked);
        if (is_access(e.op)) more.push_back(placed.operations()[to].place.text);
        all.insert(all.end(), more.begin(), more.end());
      }
    }
    last[e.thread] = i;
    if ((e.flags & kFailed) == 0 && acquires_lock(e.op)) mine.insert(e.object);
    if (releases) mine.erase(e.object);
    if (e.op == Op::kThreadExit) {
      live[e.thread] = false;
      --alive;
    }
  }
  sort_unique(lines.held);
  sort_unique(lines.bare);
  return lines;
}

void forget_bare(Anchors& anchors, const GuardedLines& more) {
  const std::set<std::string> bare = names_in(more.bare);
  std::erase_if(anchors.guarded, [&](const std::string& name) { return bare.contains(name); });
}

std::string no_longer_guarded(const Anchors& before, const GuardedLines& now) {
  if (before.guarded.empty()) return {};
  const std::set<std::string> bare = names_in(now.bare);
  const std::set<std::string> held = names_in(now.held);
  const std::set<std::string> local = declared_in(now.bare);
  std::vector<std::string> statements = before.held;
  statements.insert(statements.end(), now.bare.begin(), now.bare.end());
  for (const std::string& name : before.guarded) {
    if (names_constant(name, statements)) continue;
    if (bare.contains(name) && !local.contains(name)) return fmt::format("`{}` is used outside of a critical section now", name);
  }
  const bool known = std::any_of(before.guarded.begin(), before.guarded.end(), [&](const std::string& n) { return held.contains(n); });
  if (known) return {};
  // Renamed, or rewritten: then at least the statements must be recognised.
  for (const std::string& text : before.held) {
    const bool found =
        std::any_of(now.held.begin(), now.held.end(), [&](const std::string& t) { return similarity(text, t) >= kSameStatement; });
    if (!found) return fmt::format("`{}` is in no critical section any more", text);
  }
  return {};
}

}  // namespace heddle::trace
