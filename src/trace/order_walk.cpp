#include "trace/order_walk.h"

namespace heddle::trace {

void OrderWalk::reset() {
  ++walk_;
  objects_ = 0;
  pasts_.clear();
  whole_ = 0;
}

OrderWalk::Place& OrderWalk::place_of(ObjectId object) {
  const size_t mask = places_.size() - 1;
  size_t i = mix(object, 0) & mask;
  while (places_[i].walk == walk_ && places_[i].object != object) i = (i + 1) & mask;
  return places_[i];
}

void OrderWalk::make_room() {
  std::vector<Place> old(places_.empty() ? 64 : 2 * places_.size());
  old.swap(places_);
  for (const Place& place : old) {
    if (place.walk == walk_) place_of(place.object) = place;
  }
}

OrderWalk::ObjectPast& OrderWalk::past_of(ObjectId object) {
  if (2 * objects_ >= places_.size()) make_room();
  Place& place = place_of(object);
  if (place.walk != walk_) {
    place = {object, walk_, {}};
    ++objects_;
  }
  return place.past;
}

uint64_t OrderWalk::finds(const Operation& o) {
  if (o.thread >= pasts_.size()) pasts_.resize(o.thread + 1);
  const uint64_t past = pasts_[o.thread];
  whole_ -= past == 0 ? 0 : mix(o.id, past);
  hash_ = mix(mix(past, o.id), mix(o.number, static_cast<uint64_t>(o.op)));
  if (o.chosen) hash_ = mix(hash_, o.value + 1);
  if (o.mutex != kNoObject) {
    ObjectPast& mutex = past_of(o.mutex);
    hash_ = mix(mix(hash_, mutex.write), mutex.reads);
    mutex = {hash_, 0};
  }
  if (o.block != kNoObject) {
    ObjectPast& block = past_of(o.block);
    hash_ = mix(hash_, block.write);
    if (o.op == Op::kFree) {
      hash_ = mix(hash_, block.reads);
      block = {hash_, 0};
    } else {
      block.reads += mix(hash_, 1);
    }
  }
  touched_ = nullptr;
  if (o.object != kNoObject) {
    touched_ = &past_of(o.object);
    hash_ = mix(hash_, touched_->write);
  }
  thread_ = o.thread;
  id_ = o.id;
  return hash_;
}

uint64_t OrderWalk::ends(bool reads) {
  if (touched_ != nullptr && reads) {
    touched_->reads += mix(hash_, 1);
  } else if (touched_ != nullptr) {
    hash_ = mix(hash_, touched_->reads);
    *touched_ = {hash_, 0};
  }
  pasts_[thread_] = hash_ == 0 ? 1 : hash_;
  whole_ += mix(id_, pasts_[thread_]);
  return whole_;
}

}  // namespace heddle::trace
