#pragma once
#include <string>

namespace heddle::store {

// The variable that names another place than the working directory for .heddle: one of the many parts of a campaign keeps its own.
inline constexpr const char* kStoreVariable = "HEDDLE_STORE";

// The directory under which .heddle lies: $HEDDLE_STORE, or the working directory.
std::string store_root();
// A path below .heddle, as shown to the user.
std::string in_store(const std::string& path);

}  // namespace heddle::store
