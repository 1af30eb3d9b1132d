// The operations of a run in the words of its source.
#include <fmt/format.h>

#include <map>
#include <unordered_map>

#include "symbols/object_words.h"
#include "symbols/symbols_names.h"
#include "trace/anchors.h"

namespace heddle::trace {

namespace {

constexpr int kMostBlank = 8;         // lines without code that are passed over on the way to the next statement
constexpr size_t kLongestText = 200;  // of a statement

std::string neighbour(const Symbols& symbols, const std::string& file, int line, int step) {
  for (int i = 1; i <= kMostBlank; ++i) {
    const auto text = symbols.source_statement(file, line + step * i);
    if (!text) return {};
    if (!text->empty() && *text != "{" && *text != "}") return text->substr(0, kLongestText);
  }
  return {};
}

// "forks[]" of "forks[2]": which element it is depends on the data, and one statement is one operation.
std::string without_indices(const std::string& name) {
  std::string out;
  bool inside = false;
  for (char c : name) {
    if (c == ']') inside = false;
    if (!inside) out += c;
    if (c == '[') inside = true;
  }
  return out;
}

}  // namespace

struct PlacedTrace::Memo {
  struct Known {
    SourcePlace place;
    std::string path;
    bool own = false;
  };
  std::unordered_map<SiteId, Known> places;
  std::map<std::tuple<Op, ObjectId, SiteId>, uint32_t> numbers;  // of an operation, by what it is in this build
  std::map<std::tuple<Op, std::string, std::string, int, std::string>, uint32_t> by_words;
  std::unordered_map<ObjectId, std::string> names;
  // The own code from which a place in a library was called last: stacks are kept of the first few thousand events only.
  std::unordered_map<SiteId, SiteId> callers;

  const Known& known(const Symbols& symbols, SiteId site) {
    const auto [at, fresh] = places.try_emplace(site);
    Known& k = at->second;
    if (!fresh || site == kNoSite) return k;
    const bool library = symbols.is_system_library(site_module(site));
    const auto frame = symbols.user_frame(site_module(site), site_offset(site));
    if (!frame) return k;
    k.place.function = pretty_function(frame->function);
    k.own = !library && !frame->file.empty() && frame->line > 0 && !is_system_source(frame->file);
    if (!k.own) return k;
    k.path = frame->file;
    k.place.file = base_name(frame->file);
    k.place.line = frame->line;
    k.place.text = symbols.source_statement(frame->file, frame->line).value_or("").substr(0, kLongestText);
    k.place.before = neighbour(symbols, frame->file, frame->line, -1);
    k.place.after = neighbour(symbols, frame->file, frame->line, 1);
    return k;
  }

  // The first of them in the program's own source; else the innermost that is not a library's; else the innermost.
  SiteId own_site(const Symbols& symbols, const std::vector<SiteId>& stack) {
    for (SiteId site : stack) {
      if (known(symbols, site).own) return site;
    }
    for (SiteId site : stack) {
      if (site != kNoSite && !symbols.is_system_library(site_module(site))) return site;
    }
    return stack.empty() ? kNoSite : stack.front();
  }
};

PlacedTrace::PlacedTrace(const Trace& trace, const Symbols& symbols, const Stacks& stacks)
    : trace_(trace), symbols_(symbols), memo_(std::make_shared<Memo>()) {
  for (size_t i = 0; i < trace_.events().size(); ++i) {
    const Event& e = trace_.events()[i];
    std::vector<SiteId> stack{e.site};
    if (i < stacks.size()) stack.insert(stack.end(), stacks[i].begin(), stacks[i].end());
    of_event_.push_back(add(e.op, e.object, stack));
  }
  for (const Thread& t : trace_.threads()) {
    const bool live = t.state == ThreadState::kRunnable || t.state == ThreadState::kBlocked;
    std::vector<SiteId> stack{t.site};
    stack.insert(stack.end(), t.stack.begin(), t.stack.end());
    pending_.push_back(live && t.pending != Op::kNone ? add(t.pending, t.object, stack) : kNoOperation);
  }
}

uint32_t PlacedTrace::add(Op op, ObjectId object, const std::vector<SiteId>& stack) {
  SiteId site = kNoSite;
  // A thread's start and end are in nobody's code.
  if (op != Op::kThreadStart && op != Op::kThreadExit) {
    site = memo_->own_site(symbols_, stack);
    if (stack.size() > 1 && memo_->known(symbols_, site).own) memo_->callers[stack.front()] = site;
    const auto caller = memo_->callers.find(stack.front());
    if (stack.size() == 1 && !memo_->known(symbols_, site).own && caller != memo_->callers.end()) site = caller->second;
  }
  const auto [at, fresh] = memo_->numbers.try_emplace({op, object, site}, 0);
  if (!fresh) return at->second;
  const Memo::Known& known = memo_->known(symbols_, site);
  PlacedOperation operation{op, object_name(object), known.place};
  // Inlined copies of one statement are one operation.
  const auto key = std::make_tuple(op, operation.object, known.place.file, known.place.line, known.place.function);
  const auto [named, unnamed_yet] = memo_->by_words.try_emplace(key, static_cast<uint32_t>(operations_.size()));
  if (unnamed_yet) {
    operations_.push_back(std::move(operation));
    paths_.push_back(known.path);
  }
  return at->second = named->second;
}

std::string PlacedTrace::object_name(ObjectId id) const {
  if (id == kNoObject) return {};
  const auto [at, fresh] = memo_->names.try_emplace(id);
  std::string& name = at->second;
  if (!fresh) return name;
  const ObjectRow* const row = trace_.object(id);
  switch (object_kind(id)) {
    case ObjectKind::kThread:
      for (const Thread& t : trace_.threads()) {
        if (make_object(ObjectKind::kThread, t.id, 0) == id) name = "thread " + t.path;
      }
      break;
    case ObjectKind::kGlobal:
      if (row != nullptr) {
        if (const auto v = symbols_.global_at(static_cast<unsigned>(row->a), row->b + row->offset)) name = v->name;
      }
      break;
    case ObjectKind::kStack:
      if (row != nullptr) {
        if (const auto local = local_variable(symbols_, *row)) name = local->name;
      }
      break;
    case ObjectKind::kHeap:
      if (row != nullptr)
        name = fmt::format("{} bytes into what {} allocates", row->offset, memo_->known(symbols_, row->site).place.function);
      break;
    case ObjectKind::kDescriptor:
      if (row != nullptr) name = fmt::format("file {}", row->b);
      break;
    case ObjectKind::kMapped:
    case ObjectKind::kNone: break;
  }
  name = without_indices(name);
  return name;
}

std::string PlacedTrace::entry_of(uint32_t thread) const {
  const SiteId entry = trace_.threads()[thread].entry;
  if (entry == kNoSite || symbols_.is_system_library(site_module(entry))) return {};
  const auto frame = symbols_.user_frame(site_module(entry), site_offset(entry));
  return frame ? pretty_function(frame->function) : std::string();
}

SourcePlace PlacedTrace::place(const std::vector<SiteId>& stack) const {
  return memo_->known(symbols_, memo_->own_site(symbols_, stack)).place;
}

std::string place_words(const SourcePlace& place) {
  if (!place.file.empty()) return fmt::format("{}:{}", place.file, place.line);
  return place.function.empty() ? "?" : place.function;
}

std::string operation_words(const PlacedOperation& operation) {
  std::string text = row(operation.op).words;
  if (!operation.object.empty()) text += fmt::format(" `{}`", operation.object);
  if (operation.place.file.empty() && operation.place.function.empty()) return text;
  return fmt::format("{} at {}", text, place_words(operation.place));
}

}  // namespace heddle::trace
