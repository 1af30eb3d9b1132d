#pragma once
#include <string>

#include "wire/rooms.h"

namespace heddle::symbols {

// How a program announces its memory accesses, from its dynamic symbols.
enum class Instrumentation {
  kNone,            // plain: control at synchronisation calls only
  kPresent,         // built with heddle-cc, or with -fsanitize=thread and a shared detector
  kStaticDetector,  // brings a detector of its own inside, which nothing can replace
};

struct ProgramBuild {
  Instrumentation instrumentation = Instrumentation::kNone;
  bool wants_libgomp = false;    // OpenMP as gcc makes it: its threads spin before they wait
  bool wants_libtsan = false;    // the loader must find our library under the name of gcc's
  bool hides_sanitizer = false;  // gcc's -static-libtsan or -static-liblsan: its functions cannot be found in the running program
  bool wants_libasan = false;    // AddressSanitizer as a library, which insists on coming first
};

// A file that cannot be read counts as plain.
ProgramBuild build_of(const std::string& program);

}  // namespace heddle::symbols
