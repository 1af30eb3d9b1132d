#pragma once
// What a verification says: to a reviewer, and to a machine.
#include <string>

#include "cli/results.h"
#include "cli/verification.h"

namespace heddle::cli {

// {"verdict", "confidence", "anchors", "evidence"}
Json json_verified(const Verified& verified, const VerifySubject& subject);
// The verdict and its sentence, the anchors that are not exact, and what was done.
std::string text_verified(const Verified& verified, const VerifySubject& subject);

}  // namespace heddle::cli
