#include "twin/function_facts.h"

namespace heddle::twin {

namespace {

// Library functions that touch nothing but their arguments, and are no operations of a run.
const std::set<std::string, std::less<>> kQuietCalls = {
    "memcpy", "memmove", "memset", "memcmp", "memchr", "memrchr", "bcmp", "strlen", "strnlen", "strcmp", "strncmp", "strchr", "strrchr",
    "abs", "labs", "sqrt", "sqrtf", "pow", "powf", "exp", "expf", "exp2", "exp2f", "log", "logf", "log2", "log2f", "log10", "sin", "sinf",
    "cos", "cosf", "tan", "tanf", "atan", "atan2", "floor", "floorf", "ceil", "ceilf", "round", "roundf", "rint", "rintf", "lrint",
    "lrintf", "fmod", "fmodf", "trunc", "truncf", "ldexp", "frexp", "hypot", "cbrt", "_Unwind_Resume",
    // These end the run, which is then made again in the function's own code (Runner::run_as_is).
    "__assert_fail", "abort", "__stack_chk_fail"};

bool begins(const std::string& text, std::string_view with) { return text.rfind(with, 0) == 0; }

std::string last_operand(const std::string& operands) {
  const size_t comma = operands.rfind(',');
  return operands.substr(comma == std::string::npos ? 0 : operands.find_first_not_of(' ', comma + 1));
}

class FactsReader {
 public:
  FactsReader(const Unit& unit, std::map<size_t, std::string>* marks) : unit_(unit), marks_(marks) {}

  std::map<std::string, FunctionFacts> run() {
    for (size_t i = 0; i < unit_.lines.size(); ++i) {
      const Line& line = unit_.lines[i];
      if (line.kind == Kind::kLabel) places_[line.word] = i;
      if (line.kind != Kind::kInstruction) continue;
      FunctionFacts& s = found_[whole_function(line.function)];
      look(line, i, &s);
      before_ = &line;
    }
    return std::move(found_);
  }

 private:
  void look(const Line& line, size_t at, FunctionFacts* s) {
    std::string word = line.word;
    std::string rest = line.rest;
    if (word == "notrack" || word == "bnd" || word == "lock" || word == "rep") {
      const size_t space = rest.find_first_of(" \t");
      word = rest.substr(0, space);
      rest = space == std::string::npos ? "" : rest.substr(rest.find_first_not_of(" \t", space));
    }
    const bool calls = word == "call" || word == "callq";
    const bool jumps = !word.empty() && word[0] == 'j';
    if (!calls && !jumps) {
      if (word == "syscall" || word == "sysenter" || word == "int") s->flags |= kTwinOpaque;
      return;
    }
    if (!rest.empty() && rest[0] == '*') {
      const size_t got = rest.find("@GOTPCREL");
      if (got != std::string::npos) return to(rest.substr(1, got - 1), line, at, s);
      if (calls || !is_switch(rest)) s->flags |= kTwinOpaque;
      return;
    }
    to(rest.substr(0, rest.find('@')), line, at, s);
  }

  // A jump by a table of its own: the table's label stands in it, or an offset of the table has just been added to where it lies.
  bool is_switch(const std::string& target) const {
    if (target.find(".L") != std::string::npos) return true;
    return before_ != nullptr && begins(before_->word, "add") && last_operand(before_->rest) == target.substr(1);
  }

  void to(const std::string& target, const Line& line, size_t at, FunctionFacts* s) {
    if (is_local_alias(target)) return to(target.substr(2, target.size() - 8), line, at, s);
    if (is_local_label(target)) {
      if (const auto place = places_.find(target); place != places_.end()) came_back(target, place->second, at, s);
      return;
    }
    if (target.empty() || (target[0] >= '0' && target[0] <= '9')) return;  // within assembly of the program's own
    if (begins(target, "__tsan_")) {
      if (begins(target, "__tsan_atomic")) s->flags |= kTwinAtomics;
      if (target == "__tsan_func_exit") s->no_result = (s->ends++ == 0 || s->no_result) && leaves_no_result(line, at);
      return;
    }
    if (kQuietCalls.count(target) != 0 || whole_function(target) == whole_function(line.function)) return;
    ++s->callees[target];
  }

  // From the hook at a function's end straight to its return, without a word to the register of results.
  bool leaves_no_result(const Line& hook, size_t at) const {
    if (begins(hook.word, "jmp")) return true;
    for (size_t i = at + 1; i < unit_.lines.size(); ++i) {
      const Line& line = unit_.lines[i];
      if (line.kind == Kind::kDirective && line.word == ".size") return false;
      if (line.kind != Kind::kInstruction) continue;
      if (begins(line.word, "ret")) return true;
      const std::string to = last_operand(line.rest);
      if (line.word[0] == 'j' || begins(line.word, "call") || to == "%rax" || to == "%eax" || to == "%ax" || to == "%al") return false;
    }
    return false;
  }

  // A loop from line `begin` to the jump at `end`. Without counting and without writing it may be one that waits for another thread.
  void came_back(const std::string& label, size_t begin, size_t end, FunctionFacts* s) {
    bool reads = false;
    for (size_t i = begin; i < end; ++i) {
      const Line& line = unit_.lines[i];
      if (line.kind != Kind::kInstruction) continue;
      if (begins(line.word, "call")) {
        if (line.rest.find("__tsan_") == std::string::npos) continue;
        if (line.rest.find("write") != std::string::npos) return;
        reads = reads || line.rest.find("read") != std::string::npos;
        continue;
      }
      if ((begins(line.word, "add") || begins(line.word, "sub") || begins(line.word, "inc") || begins(line.word, "dec")) &&
          last_operand(line.rest) != "%rsp")
        return;
    }
    if (!reads) return;
    std::string& mark = (*marks_)[end];
    if (mark.empty()) mark = ".Lheddle_loop" + std::to_string(end);
    s->loops.push_back({label, mark});
    if (s->loops.size() > 32) s->flags |= kTwinOpaque;
  }

  const Unit& unit_;
  std::map<size_t, std::string>* marks_;
  std::map<std::string, FunctionFacts> found_;
  std::map<std::string, size_t> places_;
  const Line* before_ = nullptr;
};

std::string place(const std::string& label) { return label.empty() ? "0" : label + "-."; }

std::string halves(uint64_t value) { return std::to_string(value & 0xFFFFFFFF) + ", " + std::to_string(value >> 32); }

}  // namespace

std::map<std::string, FunctionFacts> facts_of_functions(const Unit& unit, std::map<size_t, std::string>* marks) {
  return FactsReader(unit, marks).run();
}

uint64_t hash_name(std::string_view name) {
  uint64_t hash = 0xCBF29CE484222325;  // FNV-1a
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

// The order of the fields is that of wire/twin_note.h. A section of its own for each function, tied to the function's: where the linker drops that
// one, it drops this one too.
std::string written(const Note& note, const std::string& group) {
  const size_t size = sizeof(TwinNote) + 8 * (note.loops.size() + note.inlined.size() + note.called.size());
  std::string out = "\t.section\theddle_twins,\"a" + std::string(group.empty() ? "" : "G") + "o\",@note," + note.entry;
  if (!group.empty()) out += "," + group + ",comdat";
  out += "\n\t.balign\t4\n\t.long\t" + std::to_string(sizeof kTwinOwner) + ", " + std::to_string(size) + ", " + std::to_string(kTwinNote) +
         "\n";
  out += "\t.asciz\t\"" + std::string(kTwinOwner) + "\"\n\t.balign\t4\n";
  for (const std::string& label : {note.entry, note.end, note.plain, note.plain_end, note.cold, note.cold_end})
    out += "\t.long\t" + place(label) + "\n";
  out += "\t.long\t" + std::to_string(note.flags) + ", " + halves(note.name) + "\n";
  out += "\t.long\t" + std::to_string(note.loops.size()) + ", " + std::to_string(note.inlined.size()) + ", " +
         std::to_string(note.called.size()) + "\n";
  for (const Loop& loop : note.loops) out += "\t.long\t" + place(loop.begin) + "\n\t.long\t" + place(loop.end) + "\n";
  for (const auto* list : {&note.inlined, &note.called}) {
    for (uint64_t name : *list) out += "\t.long\t" + halves(name) + "\n";
  }
  return out;
}

}  // namespace heddle::twin
