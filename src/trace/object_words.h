#pragma once
// "counter", "a block of 16 bytes allocated at main.c:9, at offset 4": an object in the words of the source.
#include <string>

#include "trace/symbols.h"
#include "wire/channel.h"

namespace heddle {

std::string object_words(const Symbols& symbols, const ObjectRow& row);

}  // namespace heddle
