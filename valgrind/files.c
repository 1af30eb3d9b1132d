/* Data that goes through files: who reads the bytes of a file that another thread wrote (Tallam et al. 2007, section 3.1). The bytes of a file are addresses
   that no memory has; so the detector of dependences.c finds these, too, whichever function of the C library made the system call. */
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
#include "tool.h"

enum { kOffsetBits = 40, kFileBits = 22 };

static void file_used(Int descriptor, Long offset, ULong size, Bool writes) {
  struct vg_stat status;
  Addr address;
  if (VG_(fstat)(descriptor, &status) != 0 || (status.mode & VKI_S_IFMT) != VKI_S_IFREG) return;
  if (offset < 0) offset = VG_(lseek)(descriptor, 0, VKI_SEEK_CUR) - (Long)size;
  if (offset < 0) return;
  address = HEDDLE_FILE_BYTES | ((status.ino * 0x9E3779B97F4A7C15ull) >> (64 - kFileBits)) << kOffsetBits |
            ((ULong)offset & ((1ull << kOffsetBits) - 1));
  depend_access(address, 0, size << 8 | (writes ? kHeddleWrite : kHeddleRead), 0);
}

void files_before_call(ThreadId thread, UInt number, UWord* arguments, UInt count) {
  (void)thread, (void)number, (void)arguments, (void)count;
}

void files_after_call(ThreadId thread, UInt number, UWord* arguments, UInt count, SysRes result) {
  (void)thread, (void)count;
  if (dependences_file == NULL || sr_isError(result) || sr_Res(result) == 0) return;
  switch (number) {
    case __NR_read:
    case __NR_readv: file_used((Int)arguments[0], -1, sr_Res(result), False); break;
    case __NR_write:
    case __NR_writev: file_used((Int)arguments[0], -1, sr_Res(result), True); break;
    case __NR_pread64: file_used((Int)arguments[0], (Long)arguments[3], sr_Res(result), False); break;
    case __NR_pwrite64: file_used((Int)arguments[0], (Long)arguments[3], sr_Res(result), True); break;
    default: break;
  }
}
