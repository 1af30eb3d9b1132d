#pragma once
// "counter", "a block of 16 bytes allocated at main.c:9, at offset 4": an object in the words of the source.
#include <optional>
#include <string>

#include "symbols/symbols.h"
#include "wire/channel.h"

namespace heddle::symbols {

// "main.c:9", or "?" for no site.
std::string describe_site(const Symbols& symbols, SiteId site);

std::string object_words(const Symbols& symbols, const ObjectRow& row);

// Which local variable it is: one of main's, whose frame is known in every run, or one of a function whose frame a run for the report has shown.
std::optional<Variable> local_variable(const Symbols& symbols, const ObjectRow& row);

}  // namespace heddle::symbols
