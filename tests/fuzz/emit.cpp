// The programs as C.
#include <sstream>

#include "program.h"

namespace fuzz {

namespace {

constexpr const char* kHead = R"(#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
#define STEP __asm__ volatile("" ::: "memory")
#define OWN static __attribute__((noinline, unused))
#if defined(__SANITIZE_THREAD__)
#define BLIND __attribute__((no_sanitize("thread")))
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BLIND __attribute__((no_sanitize("thread")))
#endif
#endif
#ifndef BLIND
#define BLIND
#endif
BLIND static inline struct timespec in_ms(long ms) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_nsec += ms * 1000000;
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}
// A call of its own in each statement, so that the place of a wait is the statement's line.
#define UNTIL(call, ms) ({ const struct timespec until = in_ms(ms); call; })
#define PAUSE(ms) ({ const struct timespec time = {0, (ms) * 1000000L}; nanosleep(&time, 0); })
)";

class Emitter {
 public:
  std::string text() const { return out_.str(); }
  int line() const { return line_; }
  void add(const std::string& text) {
    out_ << text << "\n";
    for (char c : text) line_ += c == '\n' ? 1 : 0;
    ++line_;
  }

 private:
  std::ostringstream out_;
  int line_ = 1;
};

std::string expression(const Expression& e) {
  return e.reg < 0 ? std::to_string(e.constant) : "r" + std::to_string(e.reg) + " + " + std::to_string(e.constant);
}

std::string comparison(const Comparison& c, const std::string& subject) {
  return subject + (c.op == '=' ? " == " : c.op == '!' ? " != " : " < ") + std::to_string(c.constant);
}

class ProgramEmitter {
 public:
  ProgramEmitter(Emitter& out, const Program& program, size_t number, std::vector<std::vector<int>>* lines)
      : out_(out), program_(program), prefix_("g" + std::to_string(number) + "_"), lines_(*lines) {}

  void emit() {
    declare();
    lines_.resize(program_.threads.size());
    for (size_t t = program_.threads.size(); t-- > 0;) emit_thread(t);
  }

 private:
  std::string name(char letter, int index) const { return prefix_ + letter + std::to_string(index); }
  std::string ref(char letter, int index) const { return "&" + name(letter, index); }

  void declare() {
    const std::string n = std::to_string(kMaxObjects);
    for (int i = 0; i < kMaxObjects; ++i) {
      const std::string number = std::to_string(i);
      out_.add("__attribute__((unused)) static pthread_mutex_t " + name('m', i) + " = PTHREAD_MUTEX_INITIALIZER;");
      out_.add("__attribute__((unused)) static pthread_cond_t " + name('c', i) + " = PTHREAD_COND_INITIALIZER;");
      out_.add("__attribute__((unused)) static pthread_rwlock_t " + name('w', i) + " = PTHREAD_RWLOCK_INITIALIZER;");
      out_.add("__attribute__((unused)) static pthread_once_t " + name('o', i) + " = PTHREAD_ONCE_INIT;");
      out_.add("__attribute__((unused)) static sem_t " + name('s', i) + ";");
      out_.add("__attribute__((unused)) static pthread_barrier_t " + name('b', i) + ";");
    }
    for (int i = 0; i < kMaxVariables; ++i) {
      // Apart from each other: an access is to one variable.
      out_.add("__attribute__((unused, aligned(8))) static int " + name('p', i) + ";");
      out_.add("__attribute__((unused, aligned(8))) static int " + name('a', i) + ";");
    }
    for (int o = 0; o < kMaxObjects; ++o) {
      const Statement* once = once_of(o);
      if (once == nullptr) continue;
      const std::string v = name('p', once->second);
      out_.add("OWN void " + name('i', o) + "(void) { int r; r = " + v + "; STEP; " + v + " = r + 1; STEP; }");
    }
  }

  const Statement* once_of(int object) const {
    for (const auto& thread : program_.threads) {
      for (const Statement& s : thread) {
        if (s.kind == Kind::kOnce && s.object == object) return &s;
      }
    }
    return nullptr;
  }

  void emit_thread(size_t t) {
    if (t == 0) {
      out_.add("BLIND OWN void " + prefix_ + "setup(void) {");
      for (int i = 0; i < kMaxObjects; ++i) {
        const auto at = static_cast<size_t>(i);
        out_.add("  sem_init(" + ref('s', i) + ", 0, " + std::to_string(program_.semaphores[at]) + ");");
        out_.add("  pthread_barrier_init(" + ref('b', i) + ", 0, " + std::to_string(program_.barriers[at]) + ");");
      }
      out_.add("}");
      out_.add("OWN int " + prefix_ + "main(void) {");
      out_.add("  " + prefix_ + "setup();");
      for (size_t i = 1; i < program_.threads.size(); ++i) out_.add("  pthread_t t" + std::to_string(i) + ";");
    } else {
      out_.add("OWN void* " + prefix_ + "t" + std::to_string(t) + "(void* unused) {");
      out_.add("  (void)unused;");
    }
    out_.add("  int r0 = 0, r1 = 0, r2 = 0, r3 = 0; (void)r0; (void)r1; (void)r2; (void)r3;");
    for (size_t i = 0; i < program_.threads[t].size(); ++i) {
      lines_[t].push_back(out_.line());
      out_.add("  " + statement(t, i));
    }
    out_.add("  return 0;\n}");
  }

  std::string statement(size_t t, size_t i) const {
    const Statement& s = program_.threads[t][i];
    const std::string r = "r" + std::to_string(s.reg);
    const std::string got = r + " = 0 == ";
    const auto call = [&](const char* function, char letter) { return std::string(function) + "(" + ref(letter, s.object) + ")"; };
    const auto until = [&](const char* function, char letter) {
      return "UNTIL(" + std::string(function) + "(" + ref(letter, s.object) + ", &until), " + std::to_string(10 << s.time) + ")";
    };
    const auto told = [&](const std::string& condition) {
      return "assert((" + condition + ") && \"" + program_.name + ":" + place(static_cast<int>(t), static_cast<int>(i)) + "\"); STEP;";
    };
    switch (s.kind) {
      case Kind::kLock: return call("pthread_mutex_lock", 'm') + ";";
      case Kind::kUnlock: return call("pthread_mutex_unlock", 'm') + ";";
      case Kind::kTryLock: return got + call("pthread_mutex_trylock", 'm') + ";";
      case Kind::kTimedLock: return got + until("pthread_mutex_timedlock", 'm') + ";";
      case Kind::kWait: return "pthread_cond_wait(" + ref('c', s.object) + ", " + ref('m', s.second) + ");";
      case Kind::kTimedWait:
        return got + "UNTIL(pthread_cond_timedwait(" + ref('c', s.object) + ", " + ref('m', s.second) + ", &until), " +
               std::to_string(10 << s.time) + ");";
      case Kind::kSignal: return call("pthread_cond_signal", 'c') + ";";
      case Kind::kBroadcast: return call("pthread_cond_broadcast", 'c') + ";";
      case Kind::kSemWait: return call("sem_wait", 's') + ";";
      case Kind::kSemPost: return call("sem_post", 's') + ";";
      case Kind::kSemTry: return got + call("sem_trywait", 's') + ";";
      case Kind::kSemTimed: return got + until("sem_timedwait", 's') + ";";
      case Kind::kReadLock: return call("pthread_rwlock_rdlock", 'w') + ";";
      case Kind::kWriteLock: return call("pthread_rwlock_wrlock", 'w') + ";";
      case Kind::kTryRead: return got + call("pthread_rwlock_tryrdlock", 'w') + ";";
      case Kind::kTryWrite: return got + call("pthread_rwlock_trywrlock", 'w') + ";";
      case Kind::kTimedRead: return got + until("pthread_rwlock_timedrdlock", 'w') + ";";
      case Kind::kTimedWrite: return got + until("pthread_rwlock_timedwrlock", 'w') + ";";
      case Kind::kRwUnlock: return call("pthread_rwlock_unlock", 'w') + ";";
      case Kind::kBarrier: return call("pthread_barrier_wait", 'b') + ";";
      case Kind::kOnce: return "pthread_once(" + ref('o', s.object) + ", " + name('i', s.object) + ");";
      case Kind::kLoad: return r + " = " + name('p', s.object) + "; STEP;";
      case Kind::kStore: return name('p', s.object) + " = " + expression(s.value) + "; STEP;";
      case Kind::kAtomicLoad: return r + " = __atomic_load_n(" + ref('a', s.object) + ", __ATOMIC_SEQ_CST); STEP;";
      case Kind::kAtomicStore: return "__atomic_store_n(" + ref('a', s.object) + ", " + expression(s.value) + ", __ATOMIC_SEQ_CST); STEP;";
      case Kind::kAtomicAdd:
        return r + " = __atomic_fetch_add(" + ref('a', s.object) + ", " + expression(s.value) + ", __ATOMIC_SEQ_CST); STEP;";
      case Kind::kAtomicCas:
        return "{ int expected = " + std::to_string(s.from) + "; " + r + " = __atomic_compare_exchange_n(" + ref('a', s.object) +
               ", &expected, " + expression(s.value) + ", 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); } STEP;";
      case Kind::kSleep: return "PAUSE(" + std::to_string(10 << s.time) + ");";
      case Kind::kYield: return "sched_yield();";
      case Kind::kCreate:
        return "pthread_create(&t" + std::to_string(s.object) + ", 0, " + prefix_ + "t" + std::to_string(s.object) + ", 0);";
      case Kind::kJoin: return "pthread_join(t" + std::to_string(s.object) + ", 0);";
      case Kind::kIf: return "if (" + comparison(s.condition, "r" + std::to_string(s.condition.index)) + ") {";
      case Kind::kWhile: return "while (" + comparison(s.condition, "r" + std::to_string(s.condition.index)) + ") {";
      case Kind::kEnd: return "}";
      case Kind::kAssert: return told(comparison(s.condition, "r" + std::to_string(s.condition.index)));
      case Kind::kNever: {
        std::string all;
        for (const Comparison& c : s.outcome) {
          const std::string v = name(c.sort, c.index);
          all += (all.empty() ? "" : " && ") + comparison(c, c.sort == 'a' ? "__atomic_load_n(&" + v + ", __ATOMIC_SEQ_CST)" : v);
        }
        return told("!(" + (all.empty() ? "0" : all) + ")");
      }
    }
    return {};
  }

  Emitter& out_;
  const Program& program_;
  std::string prefix_;
  std::vector<std::vector<int>>& lines_;
};

}  // namespace

std::string emit_c(const std::vector<Program>& programs, std::vector<std::vector<std::vector<int>>>* lines) {
  Emitter out;
  std::string head = kHead;
  head.pop_back();
  out.add(head);
  lines->assign(programs.size(), {});
  for (size_t p = 0; p < programs.size(); ++p) ProgramEmitter(out, programs[p], p, &(*lines)[p]).emit();
  out.add("int main(int argc, char** argv) {");
  out.add("  switch (argc > 1 ? atoi(argv[1]) : 0) {");
  for (size_t p = 0; p < programs.size(); ++p) out.add("    case " + std::to_string(p) + ": return g" + std::to_string(p) + "_main();");
  out.add("    default: return 2;\n  }\n}");
  return out.text();
}

}  // namespace fuzz
