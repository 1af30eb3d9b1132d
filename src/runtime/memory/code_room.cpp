#include "runtime/memory/code_room.h"

#include <sys/mman.h>

#include "runtime/base/memory_map.h"
#include "runtime/base/sys.h"

namespace heddle::rt {

namespace {

struct Room {
  uintptr_t begin;
  uint64_t used;
};
constexpr uint64_t kRoomBytes = 64 << 10;
constexpr uint32_t kMostRooms = 64;
Room g_rooms[kMostRooms];
uint32_t g_room_count;

bool map_room(uintptr_t near) {
  constexpr uintptr_t kStep = 1 << 20;
  constexpr uintptr_t kReach = 1 << 30;
  if (g_room_count == kMostRooms) return false;
  const auto attempt = [&](uintptr_t at) {
    constexpr long kFixedNoReplace = 0x100000;
    at &= ~(kRoomBytes - 1);
    const long got = sys(SYS_mmap, at, kRoomBytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | kFixedNoReplace, -1, 0);
    if (got != static_cast<long>(at)) {
      if (got > 0) sys(SYS_munmap, got, kRoomBytes);  // a kernel that does not know the flag
      return false;
    }
    note_own_memory(reinterpret_cast<void*>(at), kRoomBytes);
    g_rooms[g_room_count++] = {at, 0};
    return true;
  };
  // Below first: a program's heap grows upwards from its data.
  for (uintptr_t distance = kStep; distance < kReach && distance < near; distance += kStep) {
    if (attempt(near - distance)) return true;
  }
  for (uintptr_t distance = kStep; distance < kReach; distance += kStep) {
    if (attempt(near + distance)) return true;
  }
  return false;
}

}  // namespace

bool reaches(uintptr_t from, uintptr_t to) {
  const auto distance = static_cast<int64_t>(to - from);
  return distance == static_cast<int32_t>(distance);
}

uintptr_t take_room(uintptr_t near, uint64_t bytes) {
  for (int tries = 0; tries < 2; ++tries) {
    for (uint32_t i = 0; i < g_room_count; ++i) {
      Room& r = g_rooms[i];
      if (r.used + bytes > kRoomBytes || !reaches(near, r.begin) || !reaches(near, r.begin + kRoomBytes)) continue;
      r.used += bytes;
      return r.begin + r.used - bytes;
    }
    if (!map_room(near)) break;
  }
  return 0;
}

}  // namespace heddle::rt
