#include "store/root.h"

#include <cstdlib>

namespace heddle::store {

std::string store_root() {
  const char* place = std::getenv(kStoreVariable);
  return place != nullptr && *place != '\0' ? place : ".";
}

std::string in_store(const std::string& path) {
  const std::string root = store_root();
  return (root == "." ? "" : root + "/") + ".heddle/" + path;
}

}  // namespace heddle::store
