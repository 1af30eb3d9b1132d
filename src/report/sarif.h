#pragma once
// SARIF 2.1.0 (OASIS 2020): one result, whose code flow is the failing schedule, a thread flow for each thread.
#include <string>

#include "report/formats.h"

namespace heddle::report {

std::string sarif_text(const Story& story);

// A file as a URI: what is not allowed there is percent-encoded.
std::string file_uri(const std::string& path);

}  // namespace heddle::report
