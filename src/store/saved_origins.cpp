#include "store/saved_origins.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "store/saved_json.h"

namespace heddle::store {

namespace {

using Json = nlohmann::ordered_json;

OriginLine line_of(const Json& j, size_t threads, size_t lines) {
  OriginLine line;
  line.file = j.at("file").get<std::string>();
  line.function = j.at("function").get<std::string>();
  line.text = j.at("text").get<std::string>();
  line.line = j.at("line").get<int>();
  line.thread = j.at("thread").get<uint32_t>();
  line.step = j.at("step").get<uint64_t>();
  line.value = j.at("value").get<std::string>();
  line.times = j.at("times").get<uint64_t>();
  line.distance = j.at("distance").get<uint32_t>();
  const auto kind = j.at("kind").get<unsigned>();
  if (line.thread >= threads || kind > static_cast<unsigned>(OriginKind::kCall)) throw std::out_of_range("slice");
  line.kind = static_cast<OriginKind>(kind);
  line.from = j.at("from").get<std::vector<uint32_t>>();
  for (uint32_t from : line.from) {
    if (from >= lines) throw std::out_of_range("slice");
  }
  return line;
}

}  // namespace

std::string encode_origins(const std::vector<OriginLine>& lines) {
  Json all = Json::array();
  for (const OriginLine& line : lines)
    all.push_back({{"file", line.file},
                   {"function", line.function},
                   {"text", line.text},
                   {"line", line.line},
                   {"thread", line.thread},
                   {"step", line.step},
                   {"value", line.value},
                   {"times", line.times},
                   {"distance", line.distance},
                   {"kind", static_cast<unsigned>(line.kind)},
                   {"from", line.from}});
  return saved_json(Json{{"slice", all}}).dump() + "\n";
}

std::vector<OriginLine> decode_origins(const std::string& text, size_t threads) {
  try {
    const Json j = parse_saved_json<Json>(text);
    const Json& all = j.at("slice");
    std::vector<OriginLine> lines;
    for (const Json& each : all) lines.push_back(line_of(each, threads, all.size()));
    return lines;
  } catch (const std::exception&) {  // of the parser, or an index that is none
    return {};
  }
}

}  // namespace heddle::store
