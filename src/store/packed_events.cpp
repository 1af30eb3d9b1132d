#include "store/packed_events.h"

#include <memory>

#include "store/store_bytes.h"
#include "wire/channel.h"

namespace heddle::store {

namespace {

// Which fields of an event follow, because they are not as predicted.
enum Field : unsigned char { kThread = 1, kNumber = 2, kPlace = 4, kObject = 8, kSite = 16, kValue = 32 };
constexpr uint64_t kMostEvents = kStreamEvents;  // in one block

// What both sides know: where each thread has come, and what followed the last time one came there.
class Predictor {
 public:
  struct Followed {
    ObjectId object = 0;
    SiteId site = 0;
    uint64_t value = 0;
    uint64_t step = 0;  // how the value had changed
    uint32_t size = 0;
    Op op{};
    uint16_t flags = 0;
  };
  struct PerThread {
    uint32_t number = 0;
    uint64_t site = 0, site_before = 0;
  };

  PerThread& thread(uint32_t index) {
    if (index >= threads_.size()) threads_.resize(index + 1);
    return threads_[index];
  }
  Followed& followed(uint32_t thread, const PerThread& t) {
    const uint64_t way = (t.site * 3 ^ t.site_before) * 0x9E3779B97F4A7C15 + thread * uint64_t{0xD6E8FEB86659FD93};
    return table_[way >> (64 - kBits)];
  }
  static void saw(PerThread& t, Followed& f, const Event& e) {
    f = {e.object, e.site, e.value, e.value - f.value, e.size, e.op, e.flags};
    t.number = e.number;
    t.site_before = t.site;
    t.site = e.site + static_cast<uint64_t>(e.op);
  }

 private:
  static constexpr unsigned kBits = 12;
  std::vector<PerThread> threads_;
  std::vector<Followed> table_{size_t{1} << kBits};
};

// As ByteWriter, into room that is there: the program waits for its core meanwhile.
class Numbers {
 public:
  explicit Numbers(size_t most) : room_(std::make_unique_for_overwrite<char[]>(most)), end_(room_.get()) {}
  void number(uint64_t value) {
    for (; value >= 0x80; value >>= 7) *end_++ = static_cast<char>(value | 0x80);
    *end_++ = static_cast<char>(value);
  }
  void difference(uint64_t from, uint64_t to) {
    const uint64_t d = to - from;
    number((d << 1) ^ (0 - (d >> 63)));
  }
  std::string bytes() const { return {room_.get(), end_}; }

 private:
  std::unique_ptr<char[]> room_;
  char* end_;
};
constexpr size_t kMostOfEvent = 80;  // ten numbers at most, none of them longer than ten bytes, and most of them shorter

unsigned char differs(const Event& e, uint32_t last_thread, const Predictor::PerThread& t, const Predictor::Followed& f) {
  unsigned mask = 0;
  if (e.thread != last_thread) mask |= kThread;
  if (e.number != t.number + 1) mask |= kNumber;
  if (e.op != f.op || e.flags != f.flags || e.size != f.size) mask |= kPlace;
  if (e.object != f.object) mask |= kObject;
  if (e.site != f.site) mask |= kSite;
  if (e.value != f.value + f.step) mask |= kValue;
  return static_cast<unsigned char>(mask);
}

}  // namespace

std::string pack_events(std::span<const Event> events) {
  Numbers out(kMostOfEvent * (events.size() + 1));
  Predictor known;
  out.number(events.size());
  uint32_t last_thread = 0;
  uint64_t as_predicted = 0;
  for (const Event& e : events) {
    if (e.thread >= kMaxThreads) return {};
    Predictor::PerThread& t = known.thread(e.thread);
    Predictor::Followed& f = known.followed(e.thread, t);
    const unsigned char mask = differs(e, last_thread, t, f);
    if (mask == 0) {
      ++as_predicted;
    } else {
      out.number(as_predicted);
      as_predicted = 0;
      out.number(mask);
      if ((mask & kThread) != 0) out.number(e.thread);
      if ((mask & kNumber) != 0) out.difference(t.number + 1, e.number);
      if ((mask & kPlace) != 0) {
        out.number(static_cast<uint64_t>(e.op));
        out.number(e.flags);
        out.number(e.size);
      }
      if ((mask & kObject) != 0) out.number(e.object);
      if ((mask & kSite) != 0) out.number(e.site);
      if ((mask & kValue) != 0) out.difference(f.value + f.step, e.value);
    }
    last_thread = e.thread;
    Predictor::saw(t, f, e);
  }
  out.number(as_predicted);
  return out.bytes();
}

bool unpack_events(std::string_view packed, std::vector<Event>& events) {
  ByteReader in(packed);
  Predictor known;
  const uint64_t count = in.below(kMostEvents + 1);
  uint32_t last_thread = 0;
  uint64_t as_predicted = in.number();
  for (uint64_t i = 0; i < count && in.ok(); ++i) {
    unsigned mask = 0;
    if (as_predicted > 0) {
      --as_predicted;
    } else {
      mask = static_cast<unsigned>(in.below(64));
      if (mask == 0) in.fail();
    }
    Event e{};
    e.thread = (mask & kThread) != 0 ? static_cast<uint32_t>(in.below(kMaxThreads)) : last_thread;
    Predictor::PerThread& t = known.thread(e.thread);
    Predictor::Followed& f = known.followed(e.thread, t);
    e.number = t.number + 1;
    if ((mask & kNumber) != 0) e.number = static_cast<uint32_t>(in.difference(e.number));
    e.op = f.op;
    e.flags = f.flags;
    e.size = f.size;
    if ((mask & kPlace) != 0) {
      e.op = static_cast<Op>(in.below(uint64_t{1} << 16));
      e.flags = static_cast<uint16_t>(in.below(uint64_t{1} << 16));
      e.size = static_cast<uint32_t>(in.below(uint64_t{1} << 32));
    }
    e.object = (mask & kObject) != 0 ? in.number() : f.object;
    e.site = (mask & kSite) != 0 ? in.number() : f.site;
    e.value = f.value + f.step;
    if ((mask & kValue) != 0) e.value = in.difference(e.value);
    if (!in.ok()) break;
    last_thread = e.thread;
    Predictor::saw(t, f, e);
    events.push_back(e);
    if (mask != 0) as_predicted = in.number();
  }
  return in.ok() && in.at_end() && as_predicted == 0;
}

}  // namespace heddle::store
