#pragma once
// Which allocation an object lies in: a free concerns every object of its block.
#include <unordered_map>

#include "trace/trace.h"

namespace heddle::trace {

class Blocks {
 public:
  explicit Blocks(const Trace& trace) {
    for (const ObjectRow& row : trace.objects()) {
      if (object_kind(row.id) == ObjectKind::kHeap) blocks_[row.id] = make_object(ObjectKind::kHeap, row.a, row.b, kWhole);
    }
  }
  // A name for the whole block, or kNoObject.
  ObjectId of(ObjectId object) const {
    if (object_kind(object) != ObjectKind::kHeap) return kNoObject;
    const auto it = blocks_.find(object);
    return it == blocks_.end() ? kNoObject : it->second;
  }

 private:
  static constexpr uint64_t kWhole = ~uint64_t{0};  // no offset
  std::unordered_map<ObjectId, ObjectId> blocks_;
};

}  // namespace heddle::trace
