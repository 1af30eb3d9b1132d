// merge INSTRUMENTED PLAIN OUT [--jump]: one assembly file of two. Exit code 1 and a sentence where that is not safe.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "twin/assembly.h"
#include "twin/merge.h"

namespace {

std::string content(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw heddle::twin::Unusual(std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  const bool jump = argc == 5 && std::string(argv[4]) == "--jump";
  if (argc != 4 && !jump) return 2;
  try {
    const std::string merged = heddle::twin::merge(content(argv[1]), content(argv[2]), jump);
    std::ofstream out(argv[3], std::ios::binary);
    out << merged;
    out.close();
    return out ? 0 : 1;
  } catch (const std::exception& why) {
    std::fprintf(stderr, "%s\n", why.what());
    return 1;
  }
}
