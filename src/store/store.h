#pragma once
// Traces on disk: versioned, checksummed, compressed, replaced atomically.
//
// File: magic "heddle\r\n" (8), file version (4), wire version (4), raw bytes (8), compressed bytes (8), checksum (8) over all that
// precedes and the compressed bytes; then one zstd frame. What the frame holds is columns of the events, each predicted from what
// the trace showed before, so that a loop costs next to nothing; see store_events.cpp.
#include <string>
#include <string_view>

#include "trace/error.h"
#include "trace/trace.h"

namespace heddle::store {

class TraceFileError : public Error {
 public:
  explicit TraceFileError(const std::string& sentence) : Error(sentence) {}
};

// Throws Error when the file cannot be written; what was there before stays.
void save_trace(const Trace& trace, const std::string& path);

// Total: a file that is truncated, damaged, of a later version or no trace at all throws TraceFileError.
Trace load_trace(const std::string& path);

std::string encode_trace(const Trace& trace);
Trace decode_trace(std::string_view bytes, const std::string& path);

// What lies inside the frame and back: for tests that must get past the checksum.
std::string uncompressed_for_test(std::string_view file);
std::string compressed_for_test(std::string_view contents);

}  // namespace heddle::store
