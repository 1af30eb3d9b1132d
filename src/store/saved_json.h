#pragma once
// JSON that lies in files: anybody may have written it.
#include <string>

#include "trace/clean_text.h"
#include "wire/rooms.h"

namespace heddle::store {

// Throws Json::exception for a text that is no JSON. The result is null where a fraction or a power of ten is outside the range of every field
// that is read as a whole number: converting such a number is undefined, and the fields that are fractions are seconds. Its texts are the bytes that were
// saved, its keys are as they lie there (bytes_of_text).
template <typename Json>
Json parse_saved_json(const std::string& text) {
  constexpr double kMost = 2147483647;
  bool sensible = true;
  Json j = Json::parse(text, [&](int, auto event, Json& value) {
    if (event == Json::parse_event_t::value && value.is_number_float()) {
      const auto number = value.template get<double>();
      sensible = sensible && number >= 0 && number <= kMost;
    }
    if (event == Json::parse_event_t::value && value.is_string()) value = bytes_of_text(value.template get_ref<const std::string&>());
    return true;
  });
  return sensible ? j : Json();
}

// The same document with texts and keys that are UTF-8, to be dumped. Ours, so its depth is known.
template <typename Json>
Json saved_json(const Json& j) {
  if (j.is_string()) return text_of_bytes(j.template get_ref<const std::string&>());
  Json out = j;
  if (j.is_array()) {
    for (auto& each : out) each = saved_json(each);
  } else if (j.is_object()) {
    out = Json::object();
    for (const auto& [key, value] : j.items()) out[text_of_bytes(key)] = saved_json(value);
  }
  return out;
}

}  // namespace heddle::store
