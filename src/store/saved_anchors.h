#pragma once
// The anchors of a bug's schedule, beside it and inside of replay strings.
#include <optional>
#include <string>
#include <string_view>

#include "store/store_bytes.h"
#include "trace/anchors.h"

namespace heddle::store {

inline constexpr const char* kAnchorsFile = "anchors";
// The program in which the bug was found, compressed: what a change is measured against once the program was built anew.
inline constexpr const char* kProgramFile = "program.zst";

// As a file: magic, version, checksum, one zstd frame. Total: nothing for a text that is damaged or was made by a later version.
std::string encode_anchors(const Anchors& anchors);
std::optional<Anchors> decode_anchors(std::string_view bytes);

// As part of something larger.
void put_anchors(ByteWriter& out, const Anchors& anchors);
Anchors get_anchors(ByteReader& in);
// Only what the ends of slices, the point set and the choices name; for a string that people paste.
Anchors shortened(const Anchors& anchors);

}  // namespace heddle::store
