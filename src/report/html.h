#pragma once
// One page that holds everything about a bug: it needs no network and no server. Whatever comes from the program is data for the
// page's script and is only ever shown as text.
#include <string>

#include "report/formats.h"

namespace heddle::report {

std::string html_page(const Story& story, const OtherRuns& extra = {});

}  // namespace heddle::report
