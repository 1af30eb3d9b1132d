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

// Which local of main it is. What threads share of a stack is mostly one; where the frames of other functions lie is not known.
std::optional<Variable> local_of_main(const Symbols& symbols, const ObjectRow& row);

}  // namespace heddle::symbols
