#pragma once
// JUnit XML, as continuous integration reads it: one test case that failed, with the story in it.
#include <string>

#include "report/formats.h"

namespace heddle::report {

std::string junit_text(const Story& story);

// Text for XML: markup escaped, what XML 1.0 does not allow replaced.
std::string xml_escaped(const std::string& text);

}  // namespace heddle::report
