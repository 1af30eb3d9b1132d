#pragma once
#include <link.h>

namespace heddle::rt {

// Does this module's code call the compilers' instrumentation hooks? From its dynamic symbols.
bool imports_hooks(const dl_phdr_info& module);

}  // namespace heddle::rt
