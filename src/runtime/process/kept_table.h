#pragma once
// What is known of the descriptors of a checkpoint: written by kept_descriptors.cpp, used by open_kept.cpp.
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/time.h>

namespace heddle::rt {

enum class Kept : uint8_t { kStream, kPath, kContents, kSize, kPipe, kPair, kSocket, kEvent, kEpoll, kDeadPipe };

struct KeptDescriptor {
  Kept kind;
  bool close_on_exec;
  bool reads;  // kPipe, kDeadPipe
  bool done;
  int fd;
  int flags;            // F_GETFL
  int domain;           // kSocket
  int type;             // kSocket, kPair
  int stream;           // kStream
  int name;             // kPipe, kPair: the same for both ends
  int same_as;          // place of one that shares its offset, or -1
  timeval timeouts[2];  // kSocket, kPair: SO_RCVTIMEO and SO_SNDTIMEO, which decide what a wait is
  uint64_t inode;
  int64_t offset;  // of a file; the count of an event
  uint64_t size;   // of a file; of a pipe: for how many bytes it has buffers
  uint64_t path;   // in the arena
  uint64_t bytes;  // in the arena; of a pipe: of each buffer the size, 4 bytes, and what is in it
  uint64_t byte_count;
};

struct KeptMember {
  int epoll;
  int fd;
  epoll_event event;
};

struct KeptTable {
  static constexpr uint32_t kMost = 1 << 16;
  KeptDescriptor open[kMost];
  KeptMember members[kMost];
  uint32_t open_count, member_count;
  int highest;          // number
  char* arena;          // paths and bytes; the first byte is an empty path
  uint64_t arena_used;  // bytes
  char directory[4096];
};
extern KeptTable g_kept_table;

}  // namespace heddle::rt
