#pragma once
// The search of a plain program that learns its points on the way.
#include <memory>

#include "cli/campaign.h"
#include "search/search.h"

namespace heddle::cli {

// Nothing: its points are not learnt. The user has said so, they cannot be, or it would not pay.
std::unique_ptr<search::Search> learning_search(Campaign& campaign, const CampaignOptions& options, const SearchOptions& search,
                                                const SearchRow& row);

}  // namespace heddle::cli
