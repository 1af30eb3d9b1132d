#pragma once
// A saved bug and the campaign that it came from.
#include <memory>
#include <string>

#include "cli/campaign.h"
#include "cli/session.h"

namespace heddle::cli {

// The campaign that a saved bug came from: the same program, input and predicates; and the same carrier if none is given.
struct Reopened {
  Bug bug;
  CampaignOptions options;
  std::unique_ptr<Campaign> campaign;
};
struct ReopenOptions {
  std::string carrier = {};  // empty: as found
  unsigned jobs = 1;
  bool fresh = false;
  bool live_input = false;       // files, peers and standard input are as they are now, not as they were recorded
  bool last_live = false;        // ... or as the last run with live input recorded them
  bool other_build = false;      // a program that was built anew may be named
  bool from_checkpoint = false;  // a recording whose beginning was not kept may be opened: its runs will begin at a checkpoint
};
// Runs nothing that a stranger chose: a bug that this user's heddle did not write, or whose files changed since, is opened only with the program
// named after `--`, and then without the commands and files it brings. Throws Error, with what it would have run, where it may not be opened.
Reopened reopen(const std::string& name, const Session& session, const ReopenOptions& options);
// Of the program as it is now: another one than the bug's means that it was built anew.
std::string current_build_id(const Bug& bug);

}  // namespace heddle::cli
