#pragma once
#include <string>
#include <string_view>

#include "wire/rooms.h"

namespace heddle::store {

inline constexpr int kCompression = 3;  // zstd's level, for all that is saved

// Replaces the file as a whole: written beside it, brought to the disk, then renamed over it. Whatever goes wrong, the old contents
// stay. A device or a pipe is written to as it is. Throws Error with one sentence.
void replace_file(const std::string& path, std::string_view bytes);

// The whole file; throws Error with one sentence.
std::string read_file(const std::string& path);

// With its parents; throws Error with one sentence.
void make_directory(const std::string& path);

}  // namespace heddle::store
