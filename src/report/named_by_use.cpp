#include "report/named_by_use.h"

#include <cctype>
#include <span>
#include <string_view>
#include <vector>

namespace heddle::report {

namespace {

// A call whose first argument is the object, or a member function of it.
struct Forms {
  std::vector<std::string_view> calls, members;
  bool guards = false;  // std::lock_guard and its like
};

Forms forms_of(Family family) {
  switch (family) {
    case Family::kMutexes:
      return {{"pthread_mutex_", "pthread_spin_", "mtx_"}, {"lock()", "unlock()", "try_lock()", "try_lock_for(", "try_lock_until("}, true};
    case Family::kRwlocks:
      return {{"pthread_rwlock_"}, {"lock()", "unlock()", "try_lock()", "lock_shared()", "unlock_shared()", "try_lock_shared()"}, true};
    case Family::kConditions:
      return {{"pthread_cond_", "cnd_"}, {"wait(", "wait_for(", "wait_until(", "notify_one()", "notify_all()"}, false};
    case Family::kSemaphores:
      return {{"sem_wait", "sem_post", "sem_trywait", "sem_timedwait", "sem_destroy", "sem_init"},
              {"acquire()", "release(", "try_acquire"},
              false};
    case Family::kBarriers: return {{"pthread_barrier_"}, {}, false};
    case Family::kThreads:
    case Family::kOnces:
    case Family::kFutexes:
    case Family::kTime:
    case Family::kSignals:
    case Family::kDescriptors:
    case Family::kProcesses:
    case Family::kMemory:
    case Family::kAtomics:
    case Family::kCode: break;
  }
  return {};
}

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Up to the comma or bracket that ends the argument which begins there; empty where none does.
std::string argument_at(const std::string& text, size_t at) {
  int depth = 0;
  for (size_t end = at; end < text.size(); ++end) {
    const char c = text[end];
    const bool closes = c == ')' || c == '}' || c == ']';
    if (depth == 0 && (closes || c == ',')) return text.substr(at, end - at);
    if (c == '(' || c == '{' || c == '[') ++depth;
    if (closes) --depth;
  }
  return {};
}

// "&this->lock" -> "lock"; empty for what is more than a way to a member.
std::string plain(std::string expression) {
  while (!expression.empty() && (expression.front() == ' ' || expression.front() == '&' || expression.front() == '*'))
    expression.erase(0, 1);
  while (!expression.empty() && expression.back() == ' ') expression.pop_back();
  if (expression.starts_with("this->")) expression.erase(0, 6);
  for (size_t i = 0; i < expression.size(); ++i) {
    const bool arrow = expression.compare(i, 2, "->") == 0;
    if (!in_name(expression[i]) && expression[i] != '.' && expression[i] != '[' && expression[i] != ']' && expression[i] != ':' && !arrow)
      return {};
    if (arrow) ++i;
  }
  return expression.empty() || std::isdigit(static_cast<unsigned char>(expression.front())) != 0 || last_member(expression).empty()
             ? std::string()
             : expression;
}

// "queue->ready" before ".wait(": names, members and indices backwards.
std::string receiver_before(const std::string& text, size_t end) {
  size_t begin = end;
  int depth = 0;
  while (begin > 0) {
    const char c = text[begin - 1];
    if (c == ']') ++depth;
    const bool arrow = c == '>' && begin > 1 && text[begin - 2] == '-';
    if (depth == 0 && !in_name(c) && c != '.' && !arrow) break;
    if (c == '[' && --depth < 0) break;
    begin -= arrow ? 2 : 1;
  }
  return text.substr(begin, end - begin);
}

// A variable of its own before .lock() is more often a std::unique_lock than a mutex.
bool may_be_a_guard(const std::string& expression) {
  return expression.find_first_of(".>") == std::string::npos && !expression.ends_with("_") && !expression.starts_with("m_");
}

class Finder {
 public:
  explicit Finder(const std::string& text) : text_(text) {}

  void calls(std::span<const std::string_view> names) {
    for (const std::string_view name : names) {
      each(name, [&](size_t at, size_t end) {
        if (at > 0 && in_name(text_[at - 1])) return;
        while (end < text_.size() && in_name(text_[end])) ++end;
        if (end < text_.size() && text_[end] == '(') add(argument_at(text_, end + 1));
      });
    }
  }

  void members(std::span<const std::string_view> names, bool of_locks) {
    for (const std::string_view name : names) {
      each(name, [&](size_t at, size_t) {
        const size_t mark = at >= 1 && text_[at - 1] == '.' ? 1 : at >= 2 && text_.compare(at - 2, 2, "->") == 0 ? 2 : 0;
        if (mark == 0) return;
        const std::string expression = receiver_before(text_, at - mark);
        if (!of_locks || !may_be_a_guard(expression)) add(expression);
      });
    }
  }

  void guards() {
    for (const std::string_view name : {"lock_guard", "unique_lock", "shared_lock", "scoped_lock"}) {
      each(name, [&](size_t at, size_t end) {
        if (at > 0 && in_name(text_[at - 1])) return;
        int depth = 0;
        for (; end < text_.size() && (depth > 0 || (text_[end] != '(' && text_[end] != '{')); ++end) {
          if (text_[end] == '<') ++depth;
          if (text_[end] == '>') --depth;
          if (text_[end] == ';') return;
        }
        if (end == text_.size()) return;
        const std::string first = argument_at(text_, end + 1);
        // Two mutexes in one guard: which of them it was is not known.
        if (name == "scoped_lock" && end + 1 + first.size() < text_.size() && text_[end + 1 + first.size()] == ',') {
          ++found_;
          return;
        }
        add(first);
      });
    }
  }

  std::optional<std::string> only() const {
    if (found_ != 1 || expression_.empty()) return std::nullopt;
    return expression_;
  }

 private:
  template <class Visit>
  void each(std::string_view name, const Visit& visit) const {
    for (size_t at = text_.find(name); at != std::string::npos; at = text_.find(name, at + 1)) visit(at, at + name.size());
  }

  void add(const std::string& expression) {
    const std::string clean = plain(expression);
    // The same thing twice is one thing.
    if (found_ == 1 && clean == expression_) return;
    ++found_;
    expression_ = clean;
  }

  const std::string& text_;
  size_t found_ = 0;
  std::string expression_;
};

}  // namespace

std::string last_member(const std::string& expression) {
  size_t end = expression.size();
  while (end > 0 && expression[end - 1] == ']') {
    const size_t open = expression.rfind('[', end);
    if (open == std::string::npos) return {};
    end = open;
  }
  size_t begin = end;
  while (begin > 0 && in_name(expression[begin - 1])) --begin;
  return expression.substr(begin, end - begin);
}

std::optional<std::string> acted_on(const std::string& statement, Op op) {
  const Forms forms = forms_of(row(op).family);
  Finder finder(statement);
  finder.calls(forms.calls);
  finder.members(forms.members, forms.guards);
  if (forms.guards) finder.guards();
  return finder.only();
}

}  // namespace heddle::report
