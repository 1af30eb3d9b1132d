// The text of source lines, for reports.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "wire/rooms.h"

namespace heddle::symbols {

// Source files, each read once. A file that moved with its tree since it was compiled is looked for under the given
// directories: /build/proj/src/a.cpp is found as DIR/src/a.cpp or DIR/a.cpp.
class SourceFiles {
 public:
  explicit SourceFiles(std::vector<std::string> directories = {});

  // The line as it stands in the file, without its end. Lines count from 1.
  std::optional<std::string> line(const std::string& file, int number);

  // The line cleaned for a column of a report: without indentation and trailing comment, white space collapsed
  // outside of literals. Nothing if the line does not exist; empty if it has no code.
  std::optional<std::string> statement(const std::string& file, int number);

 private:
  const std::vector<std::string>& lines_of(const std::string& file);

  std::vector<std::string> directories_;
  std::unordered_map<std::string, std::vector<std::string>> files_;  // no lines if the file cannot be read
};

std::string clean_statement(std::string_view line);

// For a single look-up, relative to the working directory.
std::optional<std::string> source_statement(const std::string& file, int number);

}  // namespace heddle::symbols
