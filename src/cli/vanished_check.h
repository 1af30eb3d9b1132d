#pragma once
// Is the check that failed still in the program, and is it that program at all? Where an assertion was taken out the failure is hidden, not mended;
// and of another program everything passes.
#include <set>
#include <string>

#include "trace/anchors.h"

namespace heddle::cli {

// The text of the assertion that is gone, "balance >= 0"; empty: it is there, or the failure was no assertion. `sources`: files that `run` came through.
std::string vanished_check(const AnchoredEnding& ending, const std::set<std::string>& sources, const Trace& run);

// Names that tell one program from another: of the functions, variables and source files in which its threads did something, and of their routines.
class TellingNames {
 public:
  void add(const std::vector<PlacedOperation>& operations);
  void add(const std::string& name);
  bool none() const { return names_.empty(); }
  bool any_of(const TellingNames& other) const;

 private:
  std::set<std::string> names_;
};
// Why a build may be another program than the one of the bug; empty if it has a name of it.
std::string other_program(const Anchors& bug, const TellingNames& seen);

}  // namespace heddle::cli
