#pragma once
// JSON that lies in files: anybody may have written it.
#include <string>

namespace heddle {

// Throws Json::exception for a text that is no JSON. The result is null where a fraction or a power of ten is outside the range of every field
// that is read as a whole number: converting such a number is undefined, and the fields that are fractions are seconds.
template <typename Json>
Json parse_saved_json(const std::string& text) {
  constexpr double kMost = 2147483647;
  bool sensible = true;
  Json j = Json::parse(text, [&](int, auto event, const Json& value) {
    if (event == Json::parse_event_t::value && value.is_number_float()) {
      const auto number = value.template get<double>();
      sensible = sensible && number >= 0 && number <= kMost;
    }
    return true;
  });
  return sensible ? j : Json();
}

}  // namespace heddle
