#pragma once
// Code that the runtime writes: stubs to which instructions of the program are diverted, and the memory for them within the reach of a jump.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace heddle::rt {

using Byte = unsigned char;

// What a stub does before and after it calls one of ours. Below the stack pointer lies what a leaf function keeps there.
inline constexpr Byte kSkipRedZone[] = {0x48, 0x8D, 0x64, 0x24, 0x80};                      // lea -128(%rsp), %rsp
inline constexpr Byte kCallEntry[] = {0xFF, 0x15};                                          // call *entry
inline constexpr Byte kBackToRedZone[] = {0x48, 0x8D, 0xA4, 0x24, 0x80, 0x00, 0x00, 0x00};  // lea 128(%rsp), %rsp
inline constexpr Byte kJump = 0xE9;

bool reaches(uintptr_t from, uintptr_t to);

// Memory of so many bytes, a multiple of 16, near the code; write_text() writes it. 0: there is none.
uintptr_t take_room(uintptr_t near, uint64_t bytes);

inline constexpr uint64_t kMostStubBytes = 160;

// The bytes of a stub that is to lie at a place.
class Emitter {
 public:
  explicit Emitter(uintptr_t at) : base_(at) {}
  void bytes(const void* from, size_t count) {
    memcpy(text_ + size_, from, count);
    size_ += count;
  }
  // Four bytes of distance from behind themselves.
  bool distance(uintptr_t target) { return fill(size_, size_ + 4, target, true); }
  bool fill(uint64_t at, uint64_t end, uintptr_t target, bool append = false) {
    if (!reaches(base_ + end, target)) return false;
    const auto value = static_cast<int32_t>(target - (base_ + end));
    memcpy(text_ + at, &value, 4);
    if (append) size_ += 4;
    return true;
  }
  void address(uint64_t at, uintptr_t target) { memcpy(text_ + at, &target, sizeof target); }
  uintptr_t here() const { return base_ + size_; }
  uint64_t size() const { return size_; }
  const Byte* text() const { return text_; }

 private:
  uintptr_t base_;
  uint64_t size_ = 0;
  Byte text_[kMostStubBytes] = {};
};

}  // namespace heddle::rt
