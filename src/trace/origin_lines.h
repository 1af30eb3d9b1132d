#pragma once
// Origins as source lines: what a person reads.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "symbols/displace.h"
#include "symbols/symbols.h"
#include "trace/origins.h"

namespace heddle::trace {

struct OriginLine {
  std::string file, function, text;  // the source line, where the file is still there
  int line = 0;
  uint32_t thread = 0;
  uint64_t step = 0;
  std::string value;      // "balance = 70", "no" for a condition that did not hold; may be empty
  uint64_t times = 1;     // how often it is an origin; the last time is shown
  uint32_t distance = 0;  // lines between it and what was asked for
  OriginKind kind = OriginKind::kValue;
  std::vector<uint32_t> from;  // the lines, by their index, that what it used came from

  friend bool operator==(const OriginLine&, const OriginLine&) = default;
};

// Addresses and instructions of a block trace in the words of the source.
class BlockSymbols {
 public:
  explicit BlockSymbols(const BlockTrace& blocks);

  // The program's own line of an instruction; line 0: a library's, or not known.
  const symbols::Frame& frame(uint32_t module, uint64_t pc) const;
  uint32_t line_number(uint32_t module, uint64_t pc) const;
  // "balance = 70", or "" where nothing is known about the place.
  std::string access(const Origin& origin, const std::vector<uint64_t>& frames) const;
  // Where the variable of that name lies ("counter", "queue.items[3].next"); size 0: there is none.
  struct Place {
    uint64_t address = 0, size = 0;
  };
  Place global(const std::string& name) const;
  std::optional<std::string> source_line(const symbols::Frame& frame) const { return symbols_.source_line(frame.file, frame.line); }

 private:
  struct Known {
    symbols::Frame frame;
    uint32_t number = 0;
  };
  const Known& known(uint32_t module, uint64_t pc) const;
  std::optional<symbols::Variable> variable(const Origin& origin, const std::vector<uint64_t>& frames) const;

  const std::vector<BlockModule>& modules_;
  symbols::Symbols symbols_;
  mutable symbols::CodeModules code_;
  mutable std::map<std::pair<uint32_t, uint64_t>, Known> known_;
  mutable std::map<std::string, uint32_t> numbers_;
};

// The lines in the order of execution, each once for a thread.
std::vector<OriginLine> origin_lines(const Origins& origins, const BlockSymbols& symbols);
// Who wrote what was asked for, each time, in the order of execution.
std::vector<OriginLine> write_lines(const Origins& origins, const BlockSymbols& symbols);

}  // namespace heddle::trace
