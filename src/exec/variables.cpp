#include "exec/variables.h"

#include <filesystem>

#include "symbols/instrumentation.h"
#include "trace/error.h"

namespace heddle::exec {

namespace {

std::string value_of(const Target& target, const std::string& name) {
  for (const std::string& entry : target.environment) {
    if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
  }
  return {};
}

std::string joined(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + ":" + second;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> control_variables(const Target& target, const std::string& library,
                                                                   const Channel& channel) {
  std::vector<std::pair<std::string, std::string>> all = {{"LD_PRELOAD", joined(library, value_of(target, "LD_PRELOAD"))},
                                                          {kChannelVariable, channel.variable()}};
  const ProgramBuild build = build_of(target.image());
  if (build.hides_sanitizer)
    throw Error(target.arguments.front() +
                ": was linked with -static-libtsan or -static-liblsan, which cannot run under control: link it without");
  // OpenMP threads that spin before they wait only waste the time of the one thread that runs.
  if (build.wants_libgomp) all.emplace_back("GOMP_SPINCOUNT", "0");
  // A program that asks for gcc's detector gets our hooks under its name.
  if (build.wants_libtsan) {
    const std::string place = std::filesystem::path(library).parent_path().string() + "/heddle-tsan";
    all.emplace_back("LD_LIBRARY_PATH", joined(place, value_of(target, "LD_LIBRARY_PATH")));
  }
  // It would refuse to be loaded after our library, which passes all calls on to it. What a script starts may need it too.
  if (build.wants_libasan || target.script) {
    all.emplace_back("ASAN_OPTIONS", joined(value_of(target, "ASAN_OPTIONS"), "verify_asan_link_order=0"));
  }
  return all;
}

}  // namespace heddle::exec
