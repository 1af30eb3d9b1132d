// Writes a directory with many programs in one C file, and what is true of each of them.
//   fuzz_model DIR generate SEED FIRST COUNT [BUILD...]   random programs; what is true of these builds [plain instrumented]
//   fuzz_model DIR read FILE...                           programs as text
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

#include "explore.h"

namespace {

using fuzz::Limits;
using fuzz::Points;
using fuzz::Program;
using fuzz::Truth;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) out += c == '\n' ? std::string("\\n") : c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "\"";
}

std::string truth_json(const Program& program, Points points, int early) {
  Limits limits;
  limits.points = points;
  limits.early = early;
  const Truth truth = explore(program, limits);
  std::ostringstream out;
  out << "{\"complete\": " << (truth.complete ? "true" : "false") << ", \"states\": " << truth.states << ", \"failures\": {";
  const char* comma = "";
  for (const auto& [failure, cost] : truth.failures) {
    out << comma << quoted(failure) << ": " << cost;
    comma = ", ";
  }
  out << "}, \"outcomes\": " << truth.outcomes.size() << ", \"schedules\": [";
  comma = "";
  for (double count : truth.schedules) {
    out << comma << static_cast<uint64_t>(count < 1e15 ? count : 1e15);
    comma = ", ";
  }
  out << "]}";
  return out.str();
}

std::string lines_json(const std::vector<std::vector<int>>& lines) {
  std::string out = "[";
  for (size_t t = 0; t < lines.size(); ++t) {
    out += t == 0 ? "[" : ", [";
    for (size_t i = 0; i < lines[t].size(); ++i) out += (i == 0 ? "" : ", ") + std::to_string(lines[t][i]);
    out += "]";
  }
  return out + "]";
}

struct Build {
  std::string name;
  Points points;
};

bool write_all(const std::string& directory, const std::vector<Program>& programs, const std::vector<Build>& builds) {
  std::vector<std::vector<std::vector<int>>> lines;
  std::ofstream(directory + "/programs.c") << fuzz::emit_c(programs, &lines);
  std::ofstream out(directory + "/truth.json");
  out << "[\n";
  for (size_t p = 0; p < programs.size(); ++p) {
    const Program& program = programs[p];
    const int early = program.is_timed() ? 1 : 0;
    out << "{\"name\": " << quoted(program.name) << ", \"text\": " << quoted(print(program)) << ", \"lines\": " << lines_json(lines[p]);
    out << ", \"timed\": " << (early != 0 ? "true" : "false");
    for (const Build& build : builds) {
      out << ",\n " << quoted(build.name) << ": " << truth_json(program, build.points, 0);
      if (early != 0) out << ",\n " << quoted(build.name + " early") << ": " << truth_json(program, build.points, early);
      if (build.points != Points::kCalls) continue;
      out << ",\n " << quoted(build.name + " releases") << ": " << truth_json(program, Points::kReleases, 0);
      out << ",\n " << quoted(build.name + " accesses") << ": " << truth_json(program, Points::kAccesses, 0);
    }
    out << "}" << (p + 1 < programs.size() ? "," : "") << "\n";
  }
  out << "]\n";
  return out.good();
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Program> programs;
  std::vector<Build> builds{{"plain", Points::kCalls}, {"instrumented", Points::kAccesses}};
  if (argc >= 6 && strcmp(argv[2], "generate") == 0) {
    const std::vector<std::string> wanted(argv + 6, argv + argc);
    std::erase_if(builds,
                  [&](const Build& b) { return !wanted.empty() && std::find(wanted.begin(), wanted.end(), b.name) == wanted.end(); });
    const uint64_t first = strtoull(argv[4], nullptr, 10);
    const uint64_t count = strtoull(argv[5], nullptr, 10);
    for (uint64_t i = first; i < first + count; ++i) programs.push_back(fuzz::generate(strtoull(argv[3], nullptr, 10), i));
  } else if (argc >= 4 && strcmp(argv[2], "read") == 0) {
    for (int i = 3; i < argc; ++i) {
      std::ifstream file(argv[i]);
      std::ostringstream text;
      text << file.rdbuf();
      std::string error = file.is_open() ? "" : "cannot be read";
      for (Program& p : fuzz::parse(text.str(), &error)) programs.push_back(std::move(p));
      if (error.empty()) continue;
      std::cerr << argv[i] << ": " << error << "\n";
      return 2;
    }
  } else {
    std::cerr << "fuzz_model DIR generate SEED FIRST COUNT [BUILD...] | fuzz_model DIR read FILE...\n";
    return 2;
  }
  return write_all(argv[1], programs, builds) ? 0 : 1;
}
