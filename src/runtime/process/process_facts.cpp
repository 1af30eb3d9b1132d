#include "runtime/process/process_facts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "runtime/base/mappings.h"
#include "runtime/base/placement.h"
#include "runtime/base/sys.h"

namespace heddle::rt {

bool shares_memory() {
  HEDDLE_APART static char text[1 << 16];
  bool found = false;
  const bool read = for_each_mapping(
      text, [&](const Mapping& m) { found = found || (m.writable() && !m.is_private() && strstr(m.rest, "heddle-channel") == nullptr); });
  return found || !read;
}

long link_of(int fd, char* to, uint64_t room) {
  char path[48];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  const long n = room > 1 ? sys(SYS_readlink, path, to, room - 1) : 0;
  if (n <= 0 || static_cast<uint64_t>(n) >= room - 1) return 0;
  to[n] = 0;
  return n;
}

long info_of(int fd, char* to, uint64_t room) {
  char path[48];
  snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
  const long file = sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return -1;
  uint64_t used = 0;
  long n;
  while (used + 1 < room && (n = sys(SYS_read, file, to + used, room - 1 - used)) > 0) used += static_cast<uint64_t>(n);
  sys(SYS_close, file);
  to[used] = 0;
  return static_cast<long>(used);
}

int socket_option(int fd, int name) {
  int value = -1;
  socklen_t length = sizeof value;
  sys(SYS_getsockopt, fd, SOL_SOCKET, name, &value, &length);
  return value;
}

bool parse_event(int fd, const char* text, EventCounter* state) {
  const char* count = strstr(text, "eventfd-count:");
  const char* id = strstr(text, "eventfd-id:");
  const char* semaphore = strstr(text, "eventfd-semaphore:");
  state->count = count != nullptr ? static_cast<int64_t>(strtoull(count + 14, nullptr, 16)) : 0;
  state->id = id != nullptr ? strtoull(id + 11, nullptr, 10) : static_cast<uint64_t>(fd);
  state->semaphore = semaphore != nullptr && atoi(semaphore + 18) != 0;
  return count != nullptr;
}

}  // namespace heddle::rt
