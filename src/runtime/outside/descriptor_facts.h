#pragma once
// What the kernel said about a descriptor, kept until a call of the program changes it. Only in a plain run (heddle run, heddle record), where a system
// call for each question would cost more than the call that it is about; a search asks each time.
//
// A number keeps its meaning until it is closed or another file is put there. All calls of the C library that do so are seen here; a program that closes
// by its own instructions, and opens another kind of file with the same number, is not seen to do so until that number gives EBADF.
#include <stdint.h>
#include <sys/stat.h>

namespace heddle::rt {

// Whose contents a regular file has: those that the kernel makes up when it is read (/proc, /sys), or ones that this run may change, because it
// has opened the file for reading and writing.
enum class FileKind : uint8_t { kUnknown, kOther, kKernels, kChanged };
enum class Anonymous : uint8_t { kUnknown, kNot, kEpoll, kOwn, kByChildren, kByOthers };

struct DescriptorFacts {
  uint64_t inode;
  uint64_t device;   // st_rdev
  uint32_t mode;     // st_mode; kNoFile: it is not open
  int32_t blocking;  // -1: not known, 0, 1
  Anonymous anonymous;
  FileKind file;
  bool has_timeout[2];  // by direction: `timeout` is known
  uint64_t timeout[2];  // SO_RCVTIMEO and SO_SNDTIMEO, in nanoseconds
  uint64_t birth;       // when these were asked: another one means another file
  // An epoll set: a member that was found to lead outside, and its birth; or -1, and what facts_key() was when none was found.
  int32_t witness;
  uint64_t witness_key;
};
inline constexpr uint32_t kNoFile = ~uint32_t{0};

// The number has just been opened with these flags, and fstat said this.
void opened(int fd, const struct stat& status, int flags);
// Valid until the next call of any of these.
DescriptorFacts* facts_of(int fd);
FileKind file_kind(int fd);
// The same where facts are kept, else nullptr: for what is asked about the descriptor in another way.
DescriptorFacts* kept_facts(int fd);
// The number is closed, or another file is put there.
void forget_descriptor(int fd);
void forget_descriptors(unsigned first, unsigned last);
// The flags or the options of its file have changed: those of all numbers that name the file.
void forget_flags(int fd);
// Something has changed that decides whether a set leads outside: members, children, who made what.
void reach_changed();
uint64_t facts_key();
// `member` was put into the set, or taken out of it.
void members_changed(int epoll, int member);

}  // namespace heddle::rt
