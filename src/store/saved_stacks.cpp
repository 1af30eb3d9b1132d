#include "store/saved_stacks.h"

#include <map>
#include <nlohmann/json.hpp>

#include "store/saved_json.h"

namespace heddle::store {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string encode_stacks(const Stacks& stacks, const std::vector<LocalPlace>& locals) {
  std::map<SiteId, size_t> known;
  Json sites = Json::array(), list = Json::array();
  for (const auto& stack : stacks) {
    Json row = Json::array();
    for (SiteId site : stack) {
      const auto [at, fresh] = known.try_emplace(site, sites.size());
      if (fresh) sites.push_back(site);
      row.push_back(at->second);
    }
    list.push_back(std::move(row));
  }
  Json places = Json::array();
  for (const LocalPlace& l : locals) places.push_back({l.object, l.first, l.last, l.frame_end});
  return Json{{"sites", sites}, {"stacks", list}, {"locals", places}}.dump() + "\n";
}

Stacks decode_stacks(const std::string& text) {
  try {
    const Json j = parse_saved_json<Json>(text);
    const auto sites = j.at("sites").get<std::vector<SiteId>>();
    Stacks stacks;
    for (const auto& row : j.at("stacks").get<std::vector<std::vector<size_t>>>()) {
      auto& stack = stacks.emplace_back();
      for (size_t index : row) stack.push_back(sites.at(index));
    }
    return stacks;
  } catch (const std::exception&) {  // of the parser, or an index that is none
    return {};
  }
}

std::vector<LocalPlace> decode_locals(const std::string& text) {
  try {
    std::vector<LocalPlace> locals;
    // Bugs of earlier versions have none.
    for (const auto& row : parse_saved_json<Json>(text).value("locals", Json::array()))
      locals.push_back({row.at(0).get<ObjectId>(), row.at(1).get<SiteId>(), row.at(2).get<SiteId>(), row.at(3).get<uint64_t>()});
    return locals;
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace heddle::store
