// The older ways to change masks and actions: the C library's own do not come by sigaction and sigprocmask.
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "runtime/base/real.h"
#include "runtime/outside/signals.h"

namespace heddle::rt {

namespace {

bool g_interrupts[65];

}  // namespace

bool interrupts(int number) { return number >= 1 && number <= 64 && g_interrupts[number]; }

}  // namespace heddle::rt

using namespace heddle::rt;

namespace {

// A mask of the first 32 signals, as BSD has it.
sigset_t set_of(int bits) {
  sigset_t set;
  memset(&set, 0, sizeof set);
  memcpy(&set, &bits, sizeof bits);
  return set;
}
int bits_in(const sigset_t& set) {
  int bits = 0;
  memcpy(&bits, &set, sizeof bits);
  return bits;
}

bool single(int number, sigset_t* set) {
  memset(set, 0, sizeof *set);
  if (number < 1 || number > 64) {
    errno = EINVAL;
    return false;
  }
  const uint64_t bit = uint64_t{1} << (number - 1);
  memcpy(set, &bit, sizeof bit);
  return true;
}

bool contains(const sigset_t& set, int number) {
  uint64_t bits = 0;
  memcpy(&bits, &set, sizeof bits);
  return (bits >> (number - 1) & 1) != 0;
}

int change_one(int how, int number) {
  sigset_t set;
  return single(number, &set) ? sigprocmask(how, &set, nullptr) : -1;
}

int suspend_without(int number) {
  sigset_t one;
  sigset_t mask;
  if (!single(number, &one) || sigprocmask(SIG_BLOCK, nullptr, &mask) != 0) return -1;
  uint64_t bits = 0;
  memcpy(&bits, &mask, sizeof bits);
  bits &= ~(uint64_t{1} << (number - 1));
  memcpy(&mask, &bits, sizeof bits);
  return sigsuspend(&mask);
}

}  // namespace

HEDDLE_EXPORT int sighold(int number) noexcept { return change_one(SIG_BLOCK, number); }
HEDDLE_EXPORT int sigrelse(int number) noexcept { return change_one(SIG_UNBLOCK, number); }

HEDDLE_EXPORT int sigignore(int number) noexcept {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_IGN;
  return sigaction(number, &action, nullptr);
}

HEDDLE_EXPORT sighandler_t sigset(int number, sighandler_t handler) noexcept {
  sigset_t one;
  sigset_t before;
  struct sigaction old;
  if (handler == SIG_ERR || !single(number, &one)) {
    errno = EINVAL;
    return SIG_ERR;
  }
  if (handler == SIG_HOLD) {
    if (sigprocmask(SIG_BLOCK, &one, &before) != 0) return SIG_ERR;
    if (contains(before, number)) return SIG_HOLD;
    return sigaction(number, nullptr, &old) == 0 ? old.sa_handler : SIG_ERR;
  }
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  if (sigaction(number, &action, &old) != 0 || sigprocmask(SIG_UNBLOCK, &one, &before) != 0) return SIG_ERR;
  return contains(before, number) ? SIG_HOLD : old.sa_handler;
}

// BSD's takes a mask, that of X/Open a signal: <signal.h> gives the second one this name.
HEDDLE_EXPORT int heddle_bsd_sigpause(int mask) __asm__("sigpause");
HEDDLE_EXPORT int heddle_bsd_sigpause(int mask) {
  const sigset_t set = set_of(mask);
  return sigsuspend(&set);
}
HEDDLE_EXPORT int __xpg_sigpause(int number) { return suspend_without(number); }
HEDDLE_EXPORT int __sigpause(int value, int is_signal) { return is_signal != 0 ? suspend_without(value) : heddle_bsd_sigpause(value); }

HEDDLE_EXPORT int sigblock(int mask) noexcept {
  const sigset_t set = set_of(mask);
  sigset_t before;
  return sigprocmask(SIG_BLOCK, &set, &before) == 0 ? bits_in(before) : -1;
}
HEDDLE_EXPORT int sigsetmask(int mask) noexcept {
  const sigset_t set = set_of(mask);
  sigset_t before;
  return sigprocmask(SIG_SETMASK, &set, &before) == 0 ? bits_in(before) : -1;
}

HEDDLE_EXPORT int siginterrupt(int number, int ends) noexcept {
  struct sigaction action;
  if (sigaction(number, nullptr, &action) != 0) return -1;
  g_interrupts[number] = ends != 0;
  action.sa_flags = ends != 0 ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
  return sigaction(number, &action, nullptr);
}

HEDDLE_EXPORT sighandler_t sysv_signal(int number, sighandler_t handler) noexcept {
  struct sigaction action;
  struct sigaction old;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}
HEDDLE_EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler) noexcept __attribute__((alias("sysv_signal")));
