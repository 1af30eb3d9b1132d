#include "runtime/base/program_text.h"

#include <string.h>
#include <sys/mman.h>

#include "runtime/base/sys.h"

namespace heddle::rt {

namespace {

constexpr uintptr_t kTextPage = 4096;
TextWindow g_text;

}  // namespace

bool TextWindow::open(uintptr_t begin, size_t count) {
  if (begin >= first_ && begin + count <= first_ + bytes_) return true;
  close();
  const uintptr_t page = begin & ~(kTextPage - 1);
  const uintptr_t wanted = ((begin + count + kTextPage - 1) & ~(kTextPage - 1)) - page;
  if (sys(SYS_mprotect, page, wanted, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
  first_ = page;
  bytes_ = wanted;
  return true;
}

void TextWindow::close() {
  if (bytes_ != 0) sys(SYS_mprotect, first_, bytes_, PROT_READ | PROT_EXEC);
  first_ = bytes_ = 0;
}

bool TextWindow::write(void* at, const void* bytes, size_t count) {
  if (!open(reinterpret_cast<uintptr_t>(at), count)) return false;
  memcpy(at, bytes, count);
  return true;
}

bool write_text(void* at, const void* bytes, uint32_t count) { return g_text.write(at, bytes, count); }
void flush_text() { g_text.close(); }

}  // namespace heddle::rt
