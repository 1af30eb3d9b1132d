#pragma once
// The memory that the program can have written, as one number: to see whether a run comes back to a state it was in.
#include <stdint.h>

namespace heddle::rt {

struct AddressRange {
  uintptr_t low, high;
};

struct StateHash {
  uint64_t a, b;  // two hashes of the same words, made in different ways
  void add(uint64_t word) {
    a = (a ^ word) * 0x9E3779B97F4A7C15;
    a ^= a >> 32;
    b = (b + word) * 0xD6E8FEB86659FD93;
    b = b << 27 | b >> 37;
  }
  bool operator==(const StateHash& other) const { return a == other.a && b == other.b; }
};

// All that is written and private, but for what is ours and what was left out by leave_out(). Pages that nobody has written count as what
// they were at first. nullptr: `*hash` has it; else the reason why it could not be had.
const char* hash_memory(StateHash* hash);

// For the next hash_memory() only.
void leave_out(uintptr_t low, uintptr_t high);

bool is_own_code(uintptr_t address);
AddressRange own_module();

}  // namespace heddle::rt
