#pragma once
// The diagnosis of crashes on what another thread has freed, closed or taken away, or has not set up yet.
#include "report/case.h"

namespace heddle::report {

// False where the run does not show who took it away.
bool torn_down(Case& c);
// The runtime saw a use of freed or destroyed memory or of a lock against its rules.
void diagnose_misuse(Case& c);
// "Do not free it before T1 has ended": `taken` is where it was taken away, by `by`, from `user`; `stretch` is where it uses it, "from a.c:5 to a.c:9", if known.
std::string teardown_fix(const Case& c, const std::string& what, const std::string& taken, uint32_t by, uint32_t user,
                         const std::string& used, const std::string& stretch = {});

}  // namespace heddle::report
