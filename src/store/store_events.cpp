// Events as columns. What a thread does next is mostly what it did the last time it stood at the same place, so every field is
// written as the difference to a prediction that the reader can make too:
//   slices    thread and length of every maximal run of one thread's events
//   places    (operation, site, flags, size) as one code; predicted: what followed the thread's previous code before
//   objects   predicted: the object that this thread used at this place, or that any thread did
//   values    difference to the last value seen with this object
// A number that equals its prediction costs one zero byte, and zstd turns long runs of zeros into nothing.
#include "store/store_events.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace heddle::store {

namespace {

struct Place {
  Op op;
  uint16_t flags;
  uint32_t size;
  SiteId site;
  bool operator<(const Place& other) const {
    return std::tie(op, site, flags, size) < std::tie(other.op, other.site, other.flags, other.size);
  }
};

// The state both sides keep. Codes of places and objects count from 1 in the order of first use; 0 is "none yet".
struct Predictor {
  struct PerThread {
    uint64_t place = 0;
    uint64_t number = 0;
    std::unordered_map<uint64_t, uint64_t> object_at;  // place -> object
  };
  std::vector<PerThread> threads;
  std::vector<uint64_t> follower{0};   // place -> the place that followed it last in any thread
  std::vector<uint64_t> object_of{0};  // place -> the object used there last by any thread
  std::vector<uint64_t> value_of{0};   // object -> its last value
  std::vector<uint64_t> step_of{0};    // object -> how its value changed last

  PerThread& thread(uint32_t index) {
    if (index >= threads.size()) threads.resize(index + 1);
    return threads[index];
  }
  void know_place(uint64_t code) {
    if (code < follower.size()) return;
    follower.resize(code + 1);
    object_of.resize(code + 1);
  }
  void know_object(uint64_t code) {
    if (code < value_of.size()) return;
    value_of.resize(code + 1);
    step_of.resize(code + 1);
  }
  uint64_t expected_object(const PerThread& t, uint64_t place) const {
    const auto known = t.object_at.find(place);
    return known != t.object_at.end() ? known->second : object_of[place];
  }
  void saw(PerThread& t, uint64_t place, uint64_t object, const Event& e) {
    follower[t.place] = place;
    t.place = place;
    t.number = e.number;
    t.object_at[place] = object;
    object_of[place] = object;
    step_of[object] = e.value - value_of[object];
    value_of[object] = e.value;
  }
};

// 0 = as predicted, else the code itself (codes start at 1).
uint64_t coded(uint64_t code, uint64_t predicted) { return code == predicted ? 0 : code; }

}  // namespace

void write_events(ByteWriter& out, const LongRows<Event>& events) {
  ByteWriter slices, numbers, places, place_table, objects, object_table, values;
  std::map<Place, uint64_t> place_codes;
  std::unordered_map<ObjectId, uint64_t> object_codes;
  Predictor state;
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    if (i == 0 || events[i - 1].thread != e.thread) {
      size_t end = i;
      while (end < events.size() && events[end].thread == e.thread) ++end;
      slices.number(e.thread);
      slices.number(end - i);
    }
    Predictor::PerThread& t = state.thread(e.thread);
    numbers.difference(t.number + 1, e.number);

    const auto [place, new_place] = place_codes.try_emplace(Place{e.op, e.flags, e.size, e.site}, place_codes.size() + 1);
    const uint64_t place_code = place->second;
    if (new_place) {
      place_table.number(static_cast<uint64_t>(e.op));
      place_table.number(e.flags);
      place_table.number(e.size);
      place_table.number(e.site);
      state.know_place(place_code);
    }
    places.number(coded(place_code, state.follower[t.place]));

    const auto [object, new_object] = object_codes.try_emplace(e.object, object_codes.size() + 1);
    const uint64_t object_code = object->second;
    if (new_object) {
      object_table.number(e.object);
      state.know_object(object_code);
    }
    objects.number(coded(object_code, state.expected_object(t, place_code)));
    values.difference(state.value_of[object_code] + state.step_of[object_code], e.value);
    state.saw(t, place_code, object_code, e);
  }
  out.number(events.size());
  for (const ByteWriter* column : {&slices, &numbers, &place_table, &places, &object_table, &objects, &values}) out.text(column->bytes());
}

namespace {

// The places that the table lists, from 1 on.
std::vector<Place> read_places(ByteReader& table) {
  std::vector<Place> places{Place{}};
  while (table.ok() && !table.at_end()) {
    Place p{};
    p.op = static_cast<Op>(table.below(kOpCount));
    p.flags = static_cast<uint16_t>(table.below(uint64_t{1} << 16));
    p.size = static_cast<uint32_t>(table.below(uint64_t{1} << 32));
    p.site = table.number();
    places.push_back(p);
  }
  return places;
}

}  // namespace

LongRows<Event> read_events(ByteReader& in, size_t thread_count) {
  const uint64_t total = in.count();
  std::string_view columns[7];
  for (std::string_view& column : columns) column = in.text();
  // Each event takes a byte in each of these: a claim cannot ask for more memory than the file has bytes for.
  for (const size_t column : {1, 3, 5, 6}) {
    if (columns[column].size() < total) in.fail();
  }
  ByteReader slices(columns[0]), numbers(columns[1]), place_table(columns[2]), places(columns[3]), object_table(columns[4]),
      objects(columns[5]), values(columns[6]);
  const std::vector<Place> known_places = read_places(place_table);
  std::vector<ObjectId> known_objects{kNoObject};
  while (object_table.ok() && !object_table.at_end()) known_objects.push_back(object_table.number());
  Predictor state;
  state.know_place(known_places.size() - 1);
  state.know_object(known_objects.size() - 1);

  LongRows<Event> events;
  const auto ok = [&] {
    return in.ok() && slices.ok() && numbers.ok() && place_table.ok() && places.ok() && object_table.ok() && objects.ok() && values.ok();
  };
  if (ok()) events.reserve(total);
  while (events.size() < total && ok()) {
    const uint64_t thread = slices.below(thread_count);
    const uint64_t length = slices.number();
    if (!slices.ok() || length == 0 || length > total - events.size()) {
      slices.fail();
      break;
    }
    for (uint64_t i = 0; i < length && ok(); ++i) {
      Predictor::PerThread& t = state.thread(static_cast<uint32_t>(thread));
      Event e{};
      e.thread = static_cast<uint32_t>(thread);
      e.number = static_cast<uint32_t>(numbers.difference(t.number + 1));
      uint64_t place = places.number();
      if (place == 0) place = state.follower[t.place];
      if (place == 0 || place >= known_places.size()) {
        places.fail();
        break;
      }
      uint64_t object = objects.number();
      if (object == 0) object = state.expected_object(t, place);
      if (object == 0 || object >= known_objects.size()) {
        objects.fail();
        break;
      }
      e.op = known_places[place].op;
      e.flags = known_places[place].flags;
      e.size = known_places[place].size;
      e.site = known_places[place].site;
      e.object = known_objects[object];
      e.value = values.difference(state.value_of[object] + state.step_of[object]);
      state.saw(t, place, object, e);
      events.push_back(e);
    }
  }
  if (!ok() || !slices.at_end() || !numbers.at_end() || !places.at_end() || !objects.at_end() || !values.at_end()) in.fail();
  return events;
}

}  // namespace heddle::store
