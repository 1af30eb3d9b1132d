#include "report/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "report/named_by_use.h"
#include "symbols/object_words.h"
#include "symbols/symbols_names.h"

namespace heddle::report {

namespace {

const char* family_word(Op op) {
  switch (row(op).family) {
    case Family::kThreads: return "thread";
    case Family::kMutexes: return "mutex";
    case Family::kConditions: return "condition";
    case Family::kSemaphores: return "semaphore";
    case Family::kRwlocks: return "rwlock";
    case Family::kBarriers: return "barrier";
    case Family::kOnces: return "once";
    case Family::kFutexes: return "futex";
    case Family::kDescriptors: return "file";
    case Family::kMemory:
    case Family::kAtomics: return "variable";
    case Family::kTime:
    case Family::kSignals:
    case Family::kProcesses:
    case Family::kCode: break;
  }
  return "object";
}

std::string letter(size_t index) {
  std::string text;
  for (++index; index > 0; index = (index - 1) / 26) text.insert(text.begin(), static_cast<char>('A' + (index - 1) % 26));
  return text;
}

std::string number_text(uint64_t value, uint32_t size) {
  const unsigned bits = size == 0 || size >= 8 ? 64 : size * 8;
  const uint64_t sign = uint64_t{1} << (bits - 1);
  const auto as_signed = static_cast<int64_t>(bits == 64 ? value : (value ^ sign) - sign);
  if (as_signed > -1'000'000 && as_signed < 1'000'000'000) return std::to_string(as_signed);
  return fmt::format("{:#x}", value);
}

}  // namespace

std::string thread_name(const Thread& thread) {
  if (thread.path == "0") return "main";
  return "T" + (thread.path.starts_with("0.") ? thread.path.substr(2) : thread.path);
}

Names::Names(const Trace& trace, const Symbols& symbols, const Stacks* stacks) : trace_(trace), symbols_(symbols), stacks_(stacks) {
  for (const ObjectRow& row : trace.objects()) rows_.emplace(row.id, &row);
  for (uint32_t i = 0; i < trace.threads().size(); ++i) threads_.emplace(trace.threads()[i].id, i);
}

std::string Names::thread(uint32_t index) const {
  return index < trace_.threads().size() ? thread_name(trace_.threads()[index]) : "a thread";
}

void Names::adopt(const Names& other) {
  for (const auto& [id, name] : other.given_) given_.emplace(id, name);
  letters_ = std::max(letters_, other.letters_);
  for (const auto& [id, number] : other.pointers_) pointers_.emplace(id, number);
  for (const auto& [name, allocation] : other.members_) members_.emplace(name, allocation);
}

const std::string& Names::only_file() const {
  if (only_file_) return *only_file_;
  std::set<std::string> files;
  std::set<SiteId> seen;
  auto add = [&](SiteId site) {
    if (site == kNoSite || files.size() > 1 || !seen.insert(site).second || symbols_.is_system_library(site_module(site))) return;
    const auto f = frame(site);
    if (f && !f->file.empty() && !is_system_source(f->file)) files.insert(f->file);
  };
  for (const Event& e : trace_.events()) add(e.site);
  for (SiteId site : trace_.outcome().stack) add(site);
  for (const Thread& t : trace_.threads()) add(t.site);
  only_file_ = files.size() == 1 ? std::string(base_name(*files.begin())) : std::string();
  return *only_file_;
}

std::string Names::row_place(SiteId site) const {
  std::string where = own_place(site);
  if (where.empty()) return where;
  where.erase(0, 2);
  const std::string& only = only_file();
  return !only.empty() && where.rfind(only + ":", 0) == 0 ? where.substr(only.size()) : where;
}

// The type that an allocation's statement names, and the variable that gets it.
struct Allocation {
  std::string type, variable;
  uint64_t header = 0;  // bytes before the object: the counts of a shared pointer
  bool plain = false;   // C's: nothing of the compiler's stands before the objects
};
static bool is_one_allocation(const std::string& statement) {
  size_t found = 0;
  for (const char* mark : {"malloc(", "calloc(", "realloc(", "_alloc(", "new ", "make_unique<", "make_shared<"}) {
    for (size_t at = statement.find(mark); at != std::string::npos; at = statement.find(mark, at + 1)) ++found;
  }
  return found <= 1;
}

static Allocation allocation_of(const std::string& statement) {
  auto word_from = [&](size_t at) {
    size_t end = at;
    while (end < statement.size() &&
           (std::isalnum(static_cast<unsigned char>(statement[end])) != 0 || statement[end] == '_' || statement[end] == ':'))
      ++end;
    return statement.substr(at, end - at);
  };
  auto after = [&](std::string_view mark) -> std::string {
    size_t at = statement.find(mark);
    if (at == std::string::npos) return {};
    at += mark.size();
    while (at < statement.size() && (statement[at] == ' ' || statement[at] == '(')) ++at;
    if (statement.compare(at, 7, "struct ") == 0) at += 7;
    return word_from(at);
  };
  Allocation a;
  // Which of several it was is not known.
  if (!is_one_allocation(statement)) return a;
  if (a.type = after("make_shared<"); !a.type.empty()) a.header = 16;
  for (const char* mark : {"make_unique<", "new "}) {
    if (a.type.empty()) a.type = after(mark);
  }
  a.plain = a.type.empty();
  for (const char* mark : {"sizeof(", "sizeof ("}) {
    if (a.type.empty()) a.type = after(mark);
  }
  // What is assigned: the last '=' before the allocation, with nothing but it in between.
  size_t call = std::string::npos;
  if (!a.type.empty()) {
    call = statement.find(a.type);
  } else {
    for (const char* name : {"malloc(", "calloc(", "realloc(", "aligned_alloc("}) call = std::min(call, statement.find(name));
  }
  if (call == std::string::npos) return a;
  const size_t equals = statement.rfind('=', call);
  if (equals != std::string::npos && statement.substr(equals, call - equals).find(';') == std::string::npos) {
    size_t end = equals;
    while (end > 0 && statement[end - 1] == ' ') --end;
    size_t begin = end;
    while (begin > 0 && (std::isalnum(static_cast<unsigned char>(statement[begin - 1])) != 0 || statement[begin - 1] == '_')) --begin;
    a.variable = statement.substr(begin, end - begin);
  }
  return a;
}

std::optional<std::string> Names::member(ObjectId id, const ObjectRow& row) {
  if (object_kind(id) != ObjectKind::kHeap || row.site == kNoSite) return std::nullopt;
  const Allocation a = allocation_of(statement(row.site));
  if (row.offset < a.header) return count_of_shared_pointer(a, row);
  const auto variable = symbols_.member_at(site_module(row.site), a.type, row.offset - a.header);
  std::string name;
  if (variable && !variable->name.empty()) {
    name = a.variable.empty() ? a.type + "::" + variable->name : a.variable + "->" + variable->name;
  } else if (!a.variable.empty() && a.plain) {
    const auto behind = symbols_.behind_pointer(site_module(row.site), site_offset(row.site), a.variable, row.offset);
    if (behind) name = a.variable + behind->name;
  }
  if (name.empty()) return std::nullopt;
  return numbered(name, row);
}

// Before the object that make_shared makes: how many have it.
std::optional<std::string> Names::count_of_shared_pointer(const Allocation& a, const ObjectRow& row) {
  if (row.offset != 8 && row.offset != 12) return std::nullopt;
  const std::string owner = a.variable.empty() ? "shared_ptr<" + a.type + ">" : a.variable;
  return numbered(owner + (row.offset == 8 ? ".use_count" : ".weak_count"), row);
}

std::string Names::numbered(const std::string& wanted, const ObjectRow& row) {
  std::string name = wanted;
  const std::pair<uint64_t, uint64_t> allocation(row.a, row.b);
  // The second object of its kind has a number.
  for (size_t n = 2;; ++n) {
    const auto [at, fresh] = members_.try_emplace(name, allocation);
    if (fresh || at->second == allocation) return name;
    name = fmt::format("{}#{}", name.substr(0, name.find('#')), n);
  }
}

// Who frees memory frees all of it: "node" of "node->next", "the Page" of "Page::number".
static std::string whole(const std::string& name) {
  const size_t number = std::min(name.size(), name.find('#'));
  if (const size_t end = name.find_first_of("-["); end < number) return name.substr(0, end) + name.substr(number);
  const size_t scope = name.rfind("::", number);
  return scope == std::string::npos ? name : "the " + name.substr(0, scope) + name.substr(number);
}

std::string Names::pointer(ObjectId target) {
  const auto [at, fresh] = pointers_.try_emplace(target, pointers_.size() + 1);
  return fmt::format("pointer {}", at->second);
}

// The library's own variables say nothing to the reader.
static bool of_library(const std::string& name) {
  return name.rfind("std::__", 0) == 0 || name.rfind("__gnu_cxx::", 0) == 0 || name.find("::__detail::") != std::string::npos;
}

// "sync" of "sync.arrive_and_wait();"
static std::string receiver_of(const std::string& statement) {
  for (const char* call : {"arrive_and_wait(", "arrive_and_drop(", "wait("}) {
    size_t end = statement.find(call);
    if (end == std::string::npos || end < 2) continue;
    const size_t dot = statement[end - 1] == '.' ? 1 : statement.compare(end - 2, 2, "->") == 0 ? 2 : 0;
    if (dot == 0) continue;
    end -= dot;
    size_t begin = end;
    while (begin > 0 && (std::isalnum(static_cast<unsigned char>(statement[begin - 1])) != 0 || statement[begin - 1] == '_' ||
                         statement[begin - 1] == '.'))
      --begin;
    return statement.substr(begin, end - begin);
  }
  return {};
}

std::string Names::receiver(ObjectId id) const {
  std::set<std::string> found;
  auto look = [&](const std::vector<Frame>& calls) {
    if (calls.empty()) return;
    const std::string name = receiver_of(symbols_.source_statement(calls.front().file, calls.front().line).value_or(""));
    if (!name.empty()) found.insert(name);
  };
  for (size_t i = 0; i < trace_.events().size() && found.size() < 2; ++i) {
    if (trace_.events()[i].object == id) look(calls(i));
  }
  for (const Thread& t : trace_.threads()) {
    if (t.object == id && t.state == ThreadState::kBlocked) look(calls(t.stack.empty() ? std::vector<SiteId>{t.site} : t.stack));
  }
  return found.size() == 1 ? *found.begin() : std::string();
}

void Names::find_used_names() {
  constexpr size_t kMostLookedAt = 20'000;
  struct Seen {
    std::set<std::string> expressions, members;
  };
  std::map<ObjectId, Seen> seen;
  std::map<std::pair<std::vector<SiteId>, Op>, std::optional<std::string>> parsed;
  const auto events = trace_.events();
  for (size_t i = 0; i < std::min(events.size(), kMostLookedAt); ++i) {
    const Event& e = events[i];
    if (e.object == kNoObject || is_memory(e.op)) continue;
    const bool kept = stacks_ != nullptr && i < stacks_->size() && !(*stacks_)[i].empty();
    const auto [at, fresh] = parsed.try_emplace({kept ? (*stacks_)[i] : std::vector<SiteId>{e.site}, e.op});
    if (fresh) {
      const std::vector<Frame> own = calls(i);
      if (!own.empty()) at->second = acted_on(symbols_.source_statement(own.front().file, own.front().line).value_or(""), e.op);
    }
    if (!at->second) continue;
    seen[e.object].expressions.insert(*at->second);
    seen[e.object].members.insert(last_member(*at->second));
  }
  std::map<std::string, size_t> objects;
  for (const auto& [id, s] : seen) {
    for (const std::string& expression : s.expressions) ++objects[expression];
  }
  used_names_.emplace();
  for (const auto& [id, s] : seen) {
    if (s.members.size() != 1) continue;
    UsedName& used = (*used_names_)[id];
    used.member = *s.members.begin();
    const std::string& expression = *s.expressions.begin();
    // A word alone may be another variable's, too, unless it is written as a member's.
    const bool own = used.member != expression || expression.ends_with("_") || expression.starts_with("m_");
    if (s.expressions.size() == 1 && objects[expression] == 1 && own) used.expression = expression;
  }
}

const Names::UsedName& Names::used_name(ObjectId id) {
  static const UsedName kNone;
  if (!used_names_) find_used_names();
  const auto at = used_names_->find(id);
  return at == used_names_->end() ? kNone : at->second;
}

std::string Names::lettered(ObjectId id, const ObjectRow* row, Op op) {
  const auto known = given_.find(id);
  if (known != given_.end()) return known->second;
  const bool future = row != nullptr && object_kind(id) == ObjectKind::kHeap && place(row->site).find("__future_base") != std::string::npos;
  const UsedName& used = used_name(id);
  const std::string word = future ? "future" : used.member.empty() ? family_word(op) : used.member;
  const std::string name = future || used.expression.empty() ? fmt::format("{} {}", word, letter(letters_++)) : used.expression;
  given_.emplace(id, name);
  if (future) {
    legend_.push_back(fmt::format("{}: what a promise, a task or an asynchronous call shares with its future", name));
  } else if (row != nullptr && object_kind(id) == ObjectKind::kHeap) {
    legend_.push_back(fmt::format("{}: {} bytes into the memory allocated at {}", name, row->offset, place(row->site)));
  } else if (row != nullptr && object_kind(id) == ObjectKind::kStack) {
    const auto owner = threads_.find(row->a);
    if (owner != threads_.end()) legend_.push_back(fmt::format("{}: a local of {}", name, thread(owner->second)));
  }
  return name;
}

std::string Names::object(ObjectId id, Op op) {
  if (id == kNoObject) return {};
  const auto found = rows_.find(id);
  const ObjectRow* row = found == rows_.end() ? nullptr : found->second;
  switch (object_kind(id)) {
    case ObjectKind::kThread:
      if (row != nullptr) {
        const auto known = threads_.find(row->a);
        if (known != threads_.end()) return thread(known->second);
      }
      for (const auto& [thread_id, index] : threads_) {
        if (make_object(ObjectKind::kThread, thread_id, 0) == id) return thread(index);
      }
      return "a thread";
    case ObjectKind::kGlobal:
      if (row != nullptr) {
        const auto variable = symbols_.global_at(static_cast<unsigned>(row->a), row->b + row->offset);
        if (variable && !of_library(variable->name)) return variable->name;
        if (variable) {
          if (const std::string name = receiver(id); !name.empty()) return name;
        }
      }
      break;
    case ObjectKind::kDescriptor:
      if (row != nullptr) return fmt::format("file {}", row->b);
      break;
    case ObjectKind::kStack:
      if (row != nullptr) {
        if (const auto local = local_variable(symbols_, *row)) return local->name;
      }
      break;
    case ObjectKind::kHeap:
      if (row != nullptr) {
        if (auto name = member(id, *row)) return op == Op::kFree ? whole(*name) : *name;
      }
      break;
    case ObjectKind::kNone:
    case ObjectKind::kMapped: break;
  }
  return lettered(id, row, op);
}

std::optional<Frame> Names::frame(SiteId site) const {
  if (site == kNoSite) return std::nullopt;
  return symbols_.user_frame(site_module(site), site_offset(site));
}

std::vector<Frame> Names::calls(const std::vector<SiteId>& stack) const {
  std::vector<Frame> own;
  for (SiteId site : stack) {
    if (site == kNoSite || symbols_.is_system_library(site_module(site))) continue;
    for (Frame& f : symbols_.frames(site_module(site), site_offset(site))) {
      if (!f.file.empty() && f.line > 0 && !is_system_source(f.file)) own.push_back(std::move(f));
    }
  }
  return own;
}

std::vector<Frame> Names::calls(size_t event) const {
  const Event& e = trace_.events()[event];
  if (stacks_ != nullptr && event < stacks_->size() && !(*stacks_)[event].empty()) {
    if (auto own = calls((*stacks_)[event]); !own.empty()) return own;
  }
  return calls(std::vector<SiteId>{e.site});
}

std::string Names::place(SiteId site) const {
  if (site == kNoSite) return "?";
  const auto f = frame(site);
  // A line of a library's header says nothing to the reader; the function that stands there does.
  if (f && !f->file.empty() && is_system_source(f->file) && !f->function.empty()) return pretty_function(f->function);
  if (f && !f->file.empty() && f->line > 0) return fmt::format("{}:{}", base_name(f->file), f->line);
  return symbols_.describe(site_module(site), site_offset(site));
}

std::string Names::place(const Frame& frame) { return fmt::format("{}:{}", base_name(frame.file), frame.line); }

std::string Names::own_place(SiteId site) const {
  if (site == kNoSite || symbols_.is_system_library(site_module(site))) return {};
  return "  " + place(site);
}

std::vector<SiteId> Names::own_sites(const std::vector<SiteId>& stack) const {
  std::vector<SiteId> own;
  for (SiteId site : stack) {
    if (site == kNoSite || symbols_.is_system_library(site_module(site))) continue;
    const auto f = frame(site);
    if (f && !f->file.empty() && !is_system_source(f->file)) own.push_back(site);
  }
  return own;
}

SiteId Names::own_site(const std::vector<SiteId>& stack) const {
  const auto own = own_sites(stack);
  return own.empty() ? kNoSite : own.front();
}

std::string Names::place(const std::vector<SiteId>& stack) const {
  if (const SiteId site = own_site(stack); site != kNoSite) return place(site);
  for (SiteId site : stack) {
    if (!symbols_.is_system_library(site_module(site))) return place(site);
  }
  return stack.empty() ? "?" : place(stack.front());
}

std::string Names::statement(SiteId site) const {
  const auto f = frame(site);
  if (!f || f->file.empty()) return {};
  return symbols_.source_statement(f->file, f->line).value_or("");
}

std::string Names::operation(Op op, ObjectId id) {
  if (op == Op::kThreadStart || op == Op::kThreadExit || op == Op::kSignalDeliver) return row(op).words;  // its own
  const std::string what = object(id, op);
  if (what.empty()) return row(op).words;
  // "enters once A", not "enters once once A".
  std::string words = row(op).words;
  const std::string family = family_word(op);
  if (const size_t at = words.find(family); at != std::string::npos && what.rfind(family + " ", 0) == 0)
    words.erase(at, std::min(words.size() - at, family.size() + 1));
  // What the library waits on is its own affair.
  if (words.rfind("futex-", 0) == 0) words.erase(0, 6);
  return fmt::format("{}{}{}", words, words.empty() || words.back() == ' ' ? "" : " ", what);
}

std::string Names::operation(const Event& event) {
  std::string text = operation(event.op, event.object);
  if (is_memory(event.op) && event.op != Op::kFree && event.op != Op::kAllocate) {
    text += fmt::format("{}{}", has(event.op, kReads) ? " -> " : " = ",
                        (event.flags & kPointer) != 0 ? pointer(event.value) : number_text(event.value, event.size));
  }
  if ((event.flags & kFailed) != 0) text += " (fails)";
  if ((event.flags & kTimedOut) != 0) text += " (times out)";
  if ((event.flags & kSpurious) != 0) text += " (spurious)";
  return text;
}

std::vector<std::string> Names::legend() const { return legend_; }

}  // namespace heddle::report
