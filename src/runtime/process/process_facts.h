#pragma once
// What the kernel tells of this process: whether it shares memory, and what its descriptors are.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

namespace heddle::rt {

// Memory that a fork does not copy, other than our own.
bool shares_memory();

// Where its link under /proc leads, with a 0 behind it; how long that is, or 0 where it is not known or does not fit.
long link_of(int fd, char* to, uint64_t room);
// What /proc/self/fdinfo says of it, cut where it does not fit; -1 where it cannot be asked.
long info_of(int fd, char* to, uint64_t room);

int socket_option(int fd, int name);  // of SOL_SOCKET; -1 where it has none

// An eventfd by the text of info_of(). False: it says no count.
struct EventCounter {
  int64_t count;
  uint64_t id;  // of the object, which several descriptors may have
  bool semaphore;
};
bool parse_event(int fd, const char* text, EventCounter* state);

// `each(fd, epoll_event)` for the members of an epoll set by the text of info_of(), until it returns false.
template <typename Each>
void for_each_member(const char* text, Each each) {
  for (const char* at = strstr(text, "tfd:"); at != nullptr; at = strstr(at + 4, "tfd:")) {
    int fd = 0;
    unsigned events = 0;
    unsigned long long data = 0;
    if (sscanf(at, "tfd: %d events: %x data: %llx", &fd, &events, &data) != 3) continue;
    epoll_event event{};
    event.events = events;
    event.data.u64 = data;
    if (!each(fd, event)) return;
  }
}

}  // namespace heddle::rt
