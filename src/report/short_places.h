#pragma once
// Where one file is concerned its name stands once: "a.c:5" is ":5" from then on.
#include <string>

#include "report/diagnosis.h"

namespace heddle::report {

// All places of that file, which may be empty, without its name.
std::string without_file(const std::string& text, const std::string& file);
// The same for the sentences of a diagnosis: the first keeps the name.
void name_file_once(Diagnosis& diagnosis, const std::string& file);

}  // namespace heddle::report
