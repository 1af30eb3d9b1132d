#pragma once
// A table from hashes to values that only grows, in one piece of memory: a look-up is one access to it.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::search {

// Keys are hashes already, and never 0.
template <typename Value>
class StepTable {
 public:
  // Room for so many more: until they are there nothing moves.
  void make_room(size_t more) {
    if ((size_ + more) * 2 <= slots_.size()) return;
    size_t capacity = slots_.empty() ? 1024 : slots_.size();
    while (capacity < (size_ + more) * 2) capacity *= 2;
    std::vector<Slot> old(capacity);
    old.swap(slots_);
    for (Slot& slot : old) {
      if (slot.key != 0) at(slot.key) = std::move(slot);
    }
  }
  // The value of the key, a new one where there was none. There must be room.
  Value& insert(uint64_t key) {
    Slot& slot = at(key);
    if (slot.key == 0) {
      slot.key = key;
      ++size_;
    }
    return slot.value;
  }
  Value* find(uint64_t key) {
    if (slots_.empty()) return nullptr;
    Slot& slot = at(key);
    return slot.key == key ? &slot.value : nullptr;
  }
  size_t size() const { return size_; }

 private:
  struct Slot {
    uint64_t key = 0;
    Value value{};
  };
  Slot& at(uint64_t key) {
    const size_t mask = slots_.size() - 1;
    size_t i = key & mask;
    while (slots_[i].key != 0 && slots_[i].key != key) i = (i + 1) & mask;
    return slots_[i];
  }

  std::vector<Slot> slots_;
  size_t size_ = 0;
};

}  // namespace heddle::search
