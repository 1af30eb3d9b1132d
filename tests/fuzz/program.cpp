#include "program.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace fuzz {

namespace {

constexpr KindRow kRows[] = {
    {Kind::kLock, "lock", "m"},           {Kind::kUnlock, "unlock", "m"},
    {Kind::kTryLock, "trylock", "rm"},    {Kind::kTimedLock, "timedlock", "rmd"},
    {Kind::kWait, "wait", "cm"},          {Kind::kTimedWait, "timedwait", "rcmd"},
    {Kind::kSignal, "signal", "c"},       {Kind::kBroadcast, "broadcast", "c"},
    {Kind::kSemWait, "semwait", "s"},     {Kind::kSemPost, "sempost", "s"},
    {Kind::kSemTry, "semtry", "rs"},      {Kind::kSemTimed, "semtimed", "rsd"},
    {Kind::kReadLock, "rdlock", "w"},     {Kind::kWriteLock, "wrlock", "w"},
    {Kind::kTryRead, "tryrd", "rw"},      {Kind::kTryWrite, "trywr", "rw"},
    {Kind::kTimedRead, "timedrd", "rwd"}, {Kind::kTimedWrite, "timedwr", "rwd"},
    {Kind::kRwUnlock, "rwunlock", "w"},   {Kind::kBarrier, "barrier", "b"},
    {Kind::kOnce, "once", "op"},          {Kind::kLoad, "load", "rp"},
    {Kind::kStore, "store", "pe"},        {Kind::kAtomicLoad, "aload", "ra"},
    {Kind::kAtomicStore, "astore", "ae"}, {Kind::kAtomicAdd, "add", "rae"},
    {Kind::kAtomicCas, "cas", "raie"},    {Kind::kSleep, "sleep", "d"},
    {Kind::kYield, "yield", ""},          {Kind::kCreate, "create", "t"},
    {Kind::kJoin, "join", "t"},           {Kind::kIf, "if", "k"},
    {Kind::kWhile, "while", "k"},         {Kind::kEnd, "end", ""},
    {Kind::kAssert, "assert", "k"},       {Kind::kNever, "never", "*"},
};

const char* op_word(char op) { return op == '=' ? "==" : op == '!' ? "!=" : "<"; }

std::string print_comparison(const Comparison& c) { return c.sort + std::to_string(c.index) + op_word(c.op) + std::to_string(c.constant); }

std::string print_expression(const Expression& e) {
  return e.reg < 0 ? std::to_string(e.constant) : "r" + std::to_string(e.reg) + "+" + std::to_string(e.constant);
}

bool number(const std::string& text, int* value) {
  char* end = nullptr;
  *value = static_cast<int>(strtol(text.c_str(), &end, 10));
  return !text.empty() && *end == 0;
}

bool parse_comparison(const std::string& text, Comparison* c) {
  const size_t at = text.find_first_of("=!<");
  if (at == std::string::npos || at < 2) return false;
  c->sort = text[0];
  c->op = text[at];
  return number(text.substr(1, at - 1), &c->index) && number(text.substr(at + (text[at] == '<' ? 1 : 2)), &c->constant);
}

bool parse_expression(const std::string& text, Expression* e) {
  if (text.empty() || text[0] != 'r') return number(text, &e->constant);
  const size_t plus = text.find('+');
  return plus != std::string::npos && number(text.substr(1, plus - 1), &e->reg) && number(text.substr(plus + 1), &e->constant);
}

bool parse_operand(char letter, const std::string& word, Statement* s, bool second) {
  if (letter == 'k') return parse_comparison(word, &s->condition) && s->condition.sort == 'r';
  if (letter == 'e') return parse_expression(word, &s->value);
  if (letter == 'i') return number(word, &s->from);
  int index = 0;
  const int most = letter == 'r' ? kMaxRegisters : letter == 'd' ? kMaxTimes : letter == 'p' ? kMaxVariables : kMaxObjects;
  if (word.empty() || word[0] != letter || !number(word.substr(1), &index) || index < 0 || index > most - (letter == 't' ? 0 : 1))
    return false;
  (letter == 'r' ? s->reg : letter == 'd' ? s->time : second ? s->second : s->object) = index;
  return true;
}

bool parse_statement(std::istringstream& words, const std::string& first, Statement* s) {
  for (const KindRow& r : kRows) {
    if (first != r.word) continue;
    s->kind = r.kind;
    std::string word;
    if (r.operands[0] == '*') {
      while (words >> word) {
        s->outcome.emplace_back();
        if (!parse_comparison(word, &s->outcome.back()) || s->outcome.back().sort == 'r') return false;
      }
      return true;
    }
    bool second = false;
    for (const char* letter = r.operands; *letter != 0; ++letter) {
      if (!(words >> word) || !parse_operand(*letter, word, s, second)) return false;
      second = second || (*letter != 'r' && *letter != 'd');
    }
    return !(words >> word);
  }
  return false;
}

}  // namespace

const KindRow& row(Kind kind) { return kRows[static_cast<size_t>(kind)]; }

std::string place(int thread, int statement) { return "T" + std::to_string(thread) + "." + std::to_string(statement); }

bool Program::is_timed() const {
  return std::any_of(threads.begin(), threads.end(),
                     [](const auto& t) { return std::any_of(t.begin(), t.end(), [](const Statement& s) { return s.time >= 0; }); });
}

std::string Program::settle() {
  std::set<int> times;
  if (threads.empty() || threads.size() > kMaxThreads) return "no threads, or too many";
  for (size_t t = 0; t < threads.size(); ++t) {
    std::vector<int> open;
    for (int i = 0; i < static_cast<int>(threads[t].size()); ++i) {
      Statement& s = threads[t][static_cast<size_t>(i)];
      s.jump = -1;
      const bool loops =
          std::any_of(open.begin(), open.end(), [&](int o) { return threads[t][static_cast<size_t>(o)].kind == Kind::kWhile; });
      if (s.time >= 0 && (loops || !times.insert(s.time).second)) return "a time is used twice";
      if (s.kind == Kind::kIf || s.kind == Kind::kWhile) open.push_back(i);
      if (s.kind == Kind::kEnd) {
        if (open.empty()) return "an end without its if";
        Statement& head = threads[t][static_cast<size_t>(open.back())];
        head.jump = i + 1;
        if (head.kind == Kind::kWhile) s.jump = open.back();
        open.pop_back();
      }
      if ((s.kind == Kind::kCreate || s.kind == Kind::kJoin) && (t != 0 || s.object < 1 || s.object >= static_cast<int>(threads.size())))
        return "creates or joins whom it may not";
      if (s.kind == Kind::kNever && t != 0) return "never is for main";
    }
    if (!open.empty()) return "an if without its end";
  }
  // Main makes each thread once and waits for it.
  for (int t = 1; t < static_cast<int>(threads.size()); ++t) {
    int created = -1;
    int joined = -1;
    for (int i = 0; i < static_cast<int>(threads[0].size()); ++i) {
      const Statement& s = threads[0][static_cast<size_t>(i)];
      if (s.object != t) continue;
      if (s.kind == Kind::kCreate) {
        if (created >= 0) return "a thread is created twice";
        created = i;
      }
      if (s.kind == Kind::kJoin) {
        if (joined >= 0) return "a thread is joined twice";
        joined = i;
      }
    }
    if (created < 0 || joined < created) return "a thread is not created, or not joined after that";
  }
  return {};
}

std::string print(const Program& program) {
  std::ostringstream out;
  out << "program " << program.name << "\n";
  for (int i = 0; i < kMaxObjects; ++i) {
    const auto at = static_cast<size_t>(i);
    if (program.semaphores[at] != 0) out << "semaphore s" << i << " " << program.semaphores[at] << "\n";
    if (program.barriers[at] != 2) out << "participants b" << i << " " << program.barriers[at] << "\n";
  }
  for (size_t t = 0; t < program.threads.size(); ++t) {
    out << "thread " << t << "\n";
    int depth = 1;
    for (const Statement& s : program.threads[t]) {
      if (s.kind == Kind::kEnd) --depth;
      const KindRow& r = row(s.kind);
      out << std::string(static_cast<size_t>(2 * std::max(depth, 1)), ' ') << r.word;
      if (s.kind == Kind::kIf || s.kind == Kind::kWhile) ++depth;
      bool second = false;
      for (const char* letter = r.operands; *letter != 0; ++letter) {
        switch (*letter) {
          case '*':
            for (const Comparison& c : s.outcome) out << " " << print_comparison(c);
            break;
          case 'k': out << " " << print_comparison(s.condition); break;
          case 'e': out << " " << print_expression(s.value); break;
          case 'i': out << " " << s.from; break;
          case 'r': out << " r" << s.reg; break;
          case 'd': out << " d" << s.time; break;
          default: out << " " << *letter << (second ? s.second : s.object);
        }
        second = second || (*letter != 'r' && *letter != 'd');
      }
      out << "\n";
    }
  }
  return out.str();
}

std::vector<Program> parse(const std::string& text, std::string* error) {
  std::vector<Program> programs;
  std::istringstream in(text);
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string first;
    if (!(words >> first) || first[0] == '#') continue;
    bool good = true;
    if (first == "program") {
      programs.emplace_back();
      good = static_cast<bool>(words >> programs.back().name);
    } else if (programs.empty()) {
      good = false;
    } else if (first == "thread") {
      size_t number = 0;
      good = (words >> number) && number == programs.back().threads.size();
      programs.back().threads.emplace_back();
    } else if (first == "semaphore" || first == "participants") {
      char letter = 0;
      size_t index = 0;
      int value = 0;
      good = (words >> letter >> index >> value) && index < kMaxObjects && value >= 0;
      if (good) (first == "semaphore" ? programs.back().semaphores : programs.back().barriers)[index] = value;
    } else {
      Statement s;
      good = !programs.back().threads.empty() && parse_statement(words, first, &s);
      if (good) programs.back().threads.back().push_back(s);
    }
    if (!good) {
      *error = "not understood: " + line;
      return {};
    }
  }
  for (Program& p : programs) {
    const std::string wrong = p.settle();
    if (wrong.empty()) continue;
    *error = p.name + ": " + wrong;
    return {};
  }
  return programs;
}

}  // namespace fuzz
