#pragma once
// One page that holds everything about a bug: it needs no network and no server. Whatever comes from the program is data for the
// page's script and is only ever shown as text.
#include <optional>
#include <string>

#include "report/text.h"

namespace heddle {

struct PageExtra {
  const Trace* found = nullptr;    // as it was found, before it was simplified
  const Trace* reduced = nullptr;  // with whole threads removed
};

std::string html_page(const Story& story, const PageExtra& extra = {});

}  // namespace heddle
