#pragma once
// The secret under which this user's heddle seals what it writes: 32 random bytes in a file of the user's own, made when first needed.
#include <array>
#include <optional>
#include <string>

namespace heddle::store {

using Key = std::array<unsigned char, 32>;

// Nothing where it can be neither read nor made; `complaint` then says why. Asked for once in a process.
const std::optional<Key>& user_key();
const std::string& user_key_complaint();

}  // namespace heddle::store
