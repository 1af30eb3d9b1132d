#include "store/saved_stacks.h"

#include <map>
#include <nlohmann/json.hpp>

#include "store/saved_json.h"

namespace heddle::store {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string encode_stacks(const Stacks& stacks) {
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
  return Json{{"sites", sites}, {"stacks", list}}.dump() + "\n";
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

}  // namespace heddle::store
