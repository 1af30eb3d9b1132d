#pragma once
// The switch that decides between pass and fail.
#include <string>

#include "cli/campaign.h"
#include "cli/results.h"
#include "simplify/isolate.h"

namespace heddle::cli {

IsolateResult isolate_failure(Campaign& campaign, const Trace& failing, IsolateOptions options);
Json json_isolate(const IsolateResult& result);
// "fails if T1 is stopped after bank.cpp:19 ...": for a result that was isolated.
std::string deciding_sentence(const IsolateResult& result);
void save_isolated(Bug& bug, const IsolateResult& result);

}  // namespace heddle::cli
