#include "exec/inheritance.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "exec/process.h"
#include "trace/error.h"
#include "wire/channel.h"
#include "wire/inherited.h"

namespace heddle::exec {

namespace {

constexpr std::array kRaised = {RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_AS};
// What the tool sets for itself, and a nohup or a parent may have set before.
constexpr std::array kHandled = {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXFSZ};
constexpr size_t kLargeStack = size_t{8} << 20;

// The channel is mapped once, and the trace before the first thread once more; stacks and tables of the runtime are small beside them.
constexpr rlim_t kOwnAddresses = 2 * channel_layout(kPlanBytes, kEventCapacity).total + (rlim_t{1} << 30);

struct Before {
  bool known = false;
  rlimit limits[kRaised.size()];
  bool ignored[kHandled.size()];
};
Before g_before;

void occupy_standard_descriptors() {
  int fd = 0;
  while (fd >= 0 && fd <= 2) fd = ::open("/", O_PATH | O_CLOEXEC);
  if (fd > 2) ::close(fd);
}

const rlimit& limit_before(int resource) { return g_before.limits[std::find(kRaised.begin(), kRaised.end(), resource) - kRaised.begin()]; }

struct Call {
  int (*work)(int, char**);
  int count;
  char** words;
  int result;
};

}  // namespace

void make_room() {
  occupy_standard_descriptors();
  for (size_t i = 0; i < kHandled.size(); ++i) {
    struct sigaction action {};
    g_before.ignored[i] = ::sigaction(kHandled[i], nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
  }
  for (size_t i = 0; i < kRaised.size(); ++i) {
    ::getrlimit(kRaised[i], &g_before.limits[i]);
    rlimit all = g_before.limits[i];
    all.rlim_cur = all.rlim_max;
    ::setrlimit(kRaised[i], &all);
  }
  ::signal(SIGXFSZ, SIG_IGN);  // the write fails, and that is said
  g_before.known = true;
}

void check_room(bool needs_high_descriptors) {
  if (!g_before.known) return;
  const rlimit& addresses = limit_before(RLIMIT_AS);
  if (addresses.rlim_cur != RLIM_INFINITY && addresses.rlim_max != RLIM_INFINITY &&
      addresses.rlim_cur + kOwnAddresses > addresses.rlim_max) {
    throw Error(fmt::format("the limit of address space (ulimit -v {}) leaves no room: {} MB of addresses are needed beside the program's",
                            addresses.rlim_max >> 10, kOwnAddresses >> 20));
  }
  const rlim_t files = limit_before(RLIMIT_NOFILE).rlim_max;
  const rlim_t needed = kShownDescriptor + 2;
  if (needs_high_descriptors && files < needed) {
    throw Error(fmt::format("the limit of open files (ulimit -n {}) leaves no room: {} are needed", files, needed));
  }
}

void hand_on(bool writes_to_ours) {
  for (size_t i = 0; i < kHandled.size(); ++i) {
    struct sigaction action {};
    action.sa_handler = g_before.ignored[i] && !writes_to_ours ? SIG_IGN : SIG_DFL;
    ::sigaction(kHandled[i], &action, nullptr);
  }
  if (!g_before.known) return;
  for (size_t i = 0; i < kRaised.size(); ++i) {
    if (kRaised[i] == RLIMIT_FSIZE && writes_to_ours) continue;
    rlimit limit = g_before.limits[i];
    if (kRaised[i] == RLIMIT_AS && limit.rlim_cur != RLIM_INFINITY) limit.rlim_cur += kOwnAddresses;
    ::setrlimit(kRaised[i], &limit);
  }
}

bool file_size_limited() { return g_before.known && limit_before(RLIMIT_FSIZE).rlim_cur != RLIM_INFINITY; }

int on_large_stack(int (*work)(int, char**), int count, char** words) {
  rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= kLargeStack) return work(count, words);
  pthread_attr_t attributes;
  pthread_t thread{};
  Call call{work, count, words, 0};
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kLargeStack);
  ::pthread_setattr_default_np(&attributes);  // for the threads of the tool that follow
  const auto body = [](void* of) -> void* {
    auto* c = static_cast<Call*>(of);
    c->result = c->work(c->count, c->words);
    return nullptr;
  };
  if (::pthread_create(&thread, &attributes, body, &call) != 0) return work(count, words);
  ::pthread_join(thread, nullptr);
  return call.result;
}

}  // namespace heddle::exec
