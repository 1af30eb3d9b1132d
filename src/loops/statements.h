#pragma once
// Statements that a run may leave out (LEAN, section 3.2.1). At the start of the pipeline every variable of the source is in memory, so that values of the
// intermediate code do not outlive the statement that they belong to: a stretch of instructions that gives no value to what follows can be jumped over.
//
//   ...; stretch; ...   ->   heddle_statements != 0 && heddle_skip_statement("file:line") ? br after : br stretch
//                            stretch; heddle_statements != 0 ? heddle_end_statement("file:line"); br after
#include <llvm/IR/Function.h>

#include <set>
#include <string>

namespace heddle::loops {

// Marks the statements of the function that call something or store where others may see it; calls that may throw are among them. `taken`: names in use.
// Returns how many.
unsigned mark_statements(llvm::Function& function, std::set<std::string>& taken, bool explains);

}  // namespace heddle::loops
