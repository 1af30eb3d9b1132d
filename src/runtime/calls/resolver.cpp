// Look-ups of host names: whatever the C library asks for them, the answer is one input of the run.
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/placement.h"
#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/calls/lookup.h"
#include "runtime/engine/strange_threads.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

// An answer as bytes: for each address this and then `address` bytes, and `name` bytes of its canonical name with the final 0.
struct AnswerHead {
  int flags, family, type, protocol;
  uint32_t address, name;
};
constexpr size_t kMostBytes = 16384;
HEDDLE_APART char g_answer[kMostBytes];

// How many bytes; addresses that do not fit are left out.
size_t write_answer(const addrinfo* list) {
  size_t used = 0;
  for (const addrinfo* a = list; a != nullptr; a = a->ai_next) {
    const size_t name = a->ai_canonname != nullptr ? strlen(a->ai_canonname) + 1 : 0;
    const AnswerHead head{a->ai_flags, a->ai_family, a->ai_socktype, a->ai_protocol, a->ai_addrlen, static_cast<uint32_t>(name)};
    if (used + sizeof head + a->ai_addrlen + name > kMostBytes) break;
    memcpy(g_answer + used, &head, sizeof head);
    memcpy(g_answer + used + sizeof head, a->ai_addr, a->ai_addrlen);
    if (name != 0) memcpy(g_answer + used + sizeof head + a->ai_addrlen, a->ai_canonname, name);
    used += sizeof head + a->ai_addrlen + name;
  }
  return used;
}

// In blocks as the C library's freeaddrinfo expects them: an address lies behind its entry.
addrinfo* read_answer(size_t size) {
  addrinfo* first = nullptr;
  addrinfo** last = &first;
  for (size_t at = 0; at + sizeof(AnswerHead) <= size;) {
    AnswerHead head{};
    memcpy(&head, g_answer + at, sizeof head);
    at += sizeof head;
    if (head.address > size - at || head.name > size - at - head.address) break;
    auto* entry = static_cast<addrinfo*>(calloc(1, sizeof(addrinfo) + head.address));
    if (entry == nullptr) break;
    entry->ai_flags = head.flags;
    entry->ai_family = head.family;
    entry->ai_socktype = head.type;
    entry->ai_protocol = head.protocol;
    entry->ai_addrlen = head.address;
    entry->ai_addr = reinterpret_cast<sockaddr*>(entry + 1);
    memcpy(entry->ai_addr, g_answer + at, head.address);
    at += head.address;
    entry->ai_canonname = head.name != 0 ? static_cast<char*>(calloc(1, head.name + 1)) : nullptr;
    if (entry->ai_canonname != nullptr) memcpy(entry->ai_canonname, g_answer + at, head.name);
    at += head.name;
    *last = entry;
    last = &entry->ai_next;
  }
  return first;
}

// Nobody is asked for these.
bool is_address(const char* node) {
  in6_addr any;
  return node != nullptr && (inet_pton(AF_INET, node, &any) == 1 || inet_pton(AF_INET6, node, &any) == 1);
}

}  // namespace

// The C library looks up on threads of its own, and may call the program from one, whose calls nobody would see.
HEDDLE_EXPORT int getaddrinfo_a(int mode, gaicb** list, int count, sigevent* event) {
  static decltype(&::getaddrinfo_a) library;
  if (library == nullptr) library = next_symbol<decltype(&::getaddrinfo_a)>("getaddrinfo_a");
  if (active() && event != nullptr && event->sigev_notify == SIGEV_THREAD)
    end_run(OutcomeKind::kCannotControl, 0, "getaddrinfo_a with SIGEV_THREAD has the C library make a thread, which is not under control");
  if (active()) note_strange_thread(__builtin_return_address(0));
  return library(mode, list, count, event);
}

HEDDLE_EXPORT int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** list) {
  static decltype(&::getaddrinfo) library;
  if (library == nullptr) library = next_symbol<decltype(&::getaddrinfo)>("getaddrinfo");
  const bool numeric = (hints != nullptr && (hints->ai_flags & AI_NUMERICHOST) != 0) || is_address(node);
  if (!active() || node == nullptr || numeric) return library(node, service, hints, list);
  const long result = look_up(g_answer, kMostBytes, [&]() -> long {
    addrinfo* found = nullptr;
    const int error = library(node, service, hints, &found);
    if (error != 0) return error < 0 ? error : -error;
    const size_t bytes = write_answer(found);
    freeaddrinfo(found);
    return static_cast<long>(bytes);
  });
  // The program's list is made here, in the recording as in the replay: blocks of memory are named by their number.
  if (result >= 0) *list = read_answer(static_cast<size_t>(result));
  return result >= 0 ? 0 : static_cast<int>(result);
}
