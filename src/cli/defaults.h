#pragma once
// A project's own defaults: .heddle/config.toml of the working directory, for options that are not on the command line.
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace heddle::cli {

// The words of the command line with those of the file after them. A file from a stranger must do no harm: it may set budgets, points and what
// is expected to fail, and nothing that names a command or a file to write. Throws Error with one sentence for a file that is not right.
std::vector<std::string> with_defaults(const CLI::App& app, std::vector<std::string> words);

}  // namespace heddle::cli
