// The older look-ups of host names, and those of an address: their answer is an input of the run, too (resolver.cpp).
#include <errno.h>
#include <netdb.h>
#include <string.h>

#include "runtime/base/placement.h"
#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/calls/lookup.h"

using namespace heddle;
using namespace heddle::rt;

#define HEDDLE_NEXT(name)        \
  static decltype(&::name) next; \
  if (next == nullptr) next = next_symbol<decltype(&::name)>(#name);

#define HEDDLE_LIBRARY(name)        \
  static decltype(&::name) library; \
  if (library == nullptr) library = next_symbol<decltype(&::name)>(#name);

namespace {

constexpr size_t kMostBytes = 16384;
// An answer as bytes: this, the addresses, then the name and the aliases with a final 0 each.
struct HostHead {
  int code, error;  // what the call returned, and h_errno
  int found;
  int type, length, addresses, aliases;
};
HEDDLE_APART char g_answer[kMostBytes];
HEDDLE_APART char g_work[kMostBytes];  // the C library's
HEDDLE_APART char g_room[kMostBytes];  // of calls that bring none
HEDDLE_APART hostent g_host;

size_t write_host(int code, int error, const hostent* host) {
  HostHead head{code, error, host != nullptr ? 1 : 0, 0, 0, 0, 0};
  size_t used = sizeof head;
  const auto add = [&](const void* bytes, size_t size) {
    if (used + size > kMostBytes) return false;
    memcpy(g_answer + used, bytes, size);
    used += size;
    return true;
  };
  if (host != nullptr) {
    head.type = host->h_addrtype;
    head.length = host->h_length;
    for (char** a = host->h_addr_list; *a != nullptr && add(*a, static_cast<size_t>(host->h_length)); ++a) ++head.addresses;
    add(host->h_name, strlen(host->h_name) + 1);
    for (char** a = host->h_aliases; *a != nullptr && add(*a, strlen(*a) + 1); ++a) ++head.aliases;
  }
  memcpy(g_answer, &head, sizeof head);
  return used;
}

// Pointers first, then what they point to. False: there is no room.
bool read_host(const HostHead& head, size_t size, hostent* host, char* room, size_t room_bytes) {
  const auto skew = static_cast<size_t>(-reinterpret_cast<uintptr_t>(room)) % alignof(char*);
  const auto pointers = static_cast<size_t>(head.addresses) + static_cast<size_t>(head.aliases) + 2;
  const size_t bytes = size - sizeof head;
  if (skew + pointers * sizeof(char*) + bytes > room_bytes) return false;
  auto** at = reinterpret_cast<char**>(room + skew);
  char* text = room + skew + pointers * sizeof(char*);
  memcpy(text, g_answer + sizeof head, bytes);
  host->h_addrtype = head.type;
  host->h_length = head.length;
  host->h_addr_list = at;
  for (int i = 0; i < head.addresses; ++i, text += head.length) *at++ = text;
  *at++ = nullptr;
  host->h_name = text;
  host->h_aliases = at;
  for (int i = 0; i < head.aliases; ++i) *at++ = text += strlen(text) + 1;
  *at = nullptr;
  return true;
}

struct HostAnswer {
  hostent* host;
  char* room;
  size_t room_bytes;
  hostent** result;
  int* error;
};

// `ask(host, room, bytes, result, error)`: the library's own.
template <typename Ask>
int look_up_host(const HostAnswer& wanted, Ask ask) {
  const long size = look_up(g_answer, kMostBytes, [&]() -> long {
    hostent host{};
    hostent* found = nullptr;
    int error = 0;
    const int code = ask(&host, g_work, kMostBytes, &found, &error);
    return static_cast<long>(write_host(code, error, found));
  });
  HostHead head{};
  *wanted.result = nullptr;
  if (size < static_cast<long>(sizeof head)) return EINVAL;
  memcpy(&head, g_answer, sizeof head);
  *wanted.error = head.error;
  if (head.found == 0) return head.code;
  if (!read_host(head, static_cast<size_t>(size), wanted.host, wanted.room, wanted.room_bytes)) {
    *wanted.error = NETDB_INTERNAL;
    return errno = ERANGE;
  }
  *wanted.result = wanted.host;
  return 0;
}

template <typename Ask>
hostent* look_up_static(Ask ask) {
  hostent* found = nullptr;
  int error = 0;
  look_up_host({&g_host, g_room, sizeof g_room, &found, &error}, ask);
  if (found == nullptr) h_errno = error;
  return found;
}

}  // namespace

HEDDLE_EXPORT int gethostbyname_r(const char* name, hostent* host, char* room, size_t bytes, hostent** result, int* error) {
  HEDDLE_NEXT(gethostbyname_r)
  if (!active()) return next(name, host, room, bytes, result, error);
  return look_up_host({host, room, bytes, result, error},
                      [&](hostent* h, char* r, size_t n, hostent** found, int* e) { return next(name, h, r, n, found, e); });
}

HEDDLE_EXPORT int gethostbyname2_r(const char* name, int family, hostent* host, char* room, size_t bytes, hostent** result, int* error) {
  HEDDLE_NEXT(gethostbyname2_r)
  if (!active()) return next(name, family, host, room, bytes, result, error);
  return look_up_host({host, room, bytes, result, error},
                      [&](hostent* h, char* r, size_t n, hostent** found, int* e) { return next(name, family, h, r, n, found, e); });
}

HEDDLE_EXPORT int gethostbyaddr_r(const void* address, socklen_t length, int type, hostent* host, char* room, size_t bytes,
                                  hostent** result, int* error) {
  HEDDLE_NEXT(gethostbyaddr_r)
  if (!active()) return next(address, length, type, host, room, bytes, result, error);
  return look_up_host({host, room, bytes, result, error}, [&](hostent* h, char* r, size_t n, hostent** found, int* e) {
    return next(address, length, type, h, r, n, found, e);
  });
}

HEDDLE_EXPORT hostent* gethostbyname(const char* name) {
  HEDDLE_NEXT(gethostbyname)
  if (!active()) return next(name);
  HEDDLE_LIBRARY(gethostbyname_r)
  return look_up_static([&](hostent* h, char* r, size_t n, hostent** found, int* e) { return library(name, h, r, n, found, e); });
}

HEDDLE_EXPORT hostent* gethostbyname2(const char* name, int family) {
  HEDDLE_NEXT(gethostbyname2)
  if (!active()) return next(name, family);
  HEDDLE_LIBRARY(gethostbyname2_r)
  return look_up_static([&](hostent* h, char* r, size_t n, hostent** found, int* e) { return library(name, family, h, r, n, found, e); });
}

HEDDLE_EXPORT hostent* gethostbyaddr(const void* address, socklen_t length, int type) {
  HEDDLE_NEXT(gethostbyaddr)
  if (!active()) return next(address, length, type);
  HEDDLE_LIBRARY(gethostbyaddr_r)
  return look_up_static(
      [&](hostent* h, char* r, size_t n, hostent** found, int* e) { return library(address, length, type, h, r, n, found, e); });
}

HEDDLE_EXPORT int getnameinfo(const sockaddr* address, socklen_t length, char* host, socklen_t host_room, char* service,
                              socklen_t service_room, int flags) {
  HEDDLE_NEXT(getnameinfo)
  const bool asks = host != nullptr && host_room > 0 && (flags & NI_NUMERICHOST) == 0;
  if (!active() || !asks) return next(address, length, host, host_room, service, service_room, flags);
  // The error, then the two texts.
  const size_t room = sizeof(int) + host_room + service_room < kMostBytes ? sizeof(int) + host_room + service_room : kMostBytes;
  const bool named = service != nullptr && service_room > 0;
  const long size = look_up(g_answer, room, [&]() -> long {
    const int error = next(address, length, host, host_room, service, service_room, flags);
    memcpy(g_answer, &error, sizeof error);
    if (error != 0) return sizeof error;
    size_t used = sizeof error;
    const char* const texts[2] = {host, named ? service : ""};
    for (const char* text : texts) {
      const size_t bytes = strlen(text) + 1;
      if (used + bytes > room) break;
      memcpy(g_answer + used, text, bytes);
      used += bytes;
    }
    return static_cast<long>(used);
  });
  int error = EAI_FAIL;
  if (size < static_cast<long>(sizeof error)) return error;
  memcpy(&error, g_answer, sizeof error);
  if (error != 0) return error;
  const char* text = g_answer + sizeof error;
  const auto left = static_cast<size_t>(size) - sizeof error;
  const size_t bytes = strnlen(text, left) + 1;
  if (bytes > host_room || bytes > left) return EAI_OVERFLOW;
  memcpy(host, text, bytes);
  if (!named) return 0;
  const size_t more = strnlen(text + bytes, left - bytes) + 1;
  if (more > service_room || more > left - bytes) return EAI_OVERFLOW;
  memcpy(service, text + bytes, more);
  return 0;
}
