// heddle doctor: what this machine or container allows, and what we do without it.
#include <fmt/format.h>

#include "cli/print.h"
#include "cli/results.h"
#include "cli/session.h"
#include "exec/machine.h"
#include "exec/target.h"

namespace heddle::cli {

namespace {

int run(bool json) {
  std::string library;
  std::string complaint;
  try {
    library = runtime_library();
  } catch (const Error& error) {
    complaint = error.what();
  }
  const auto abilities = machine_abilities();
  bool usable = complaint.empty();
  for (const Ability& a : abilities) usable &= a.present || !a.needed;
  if (json) {
    Json document = {{"usable", usable}, {"abilities", Json::array()}};
    for (const Ability& a : abilities)
      document["abilities"].push_back({{"name", a.name}, {"present", a.present}, {"otherwise", a.otherwise}});
    if (!complaint.empty()) document["error"] = complaint;
    print_json(document);
    return 0;
  }
  for (const Ability& a : abilities)
    print_out("{:<5}{}{}{}\n", a.present ? "yes" : "no", a.name, a.present ? "" : ": ", a.present ? "" : a.otherwise);
  print_out("{:<5}{}\n", complaint.empty() ? "yes" : "no", complaint.empty() ? "the runtime library is in place" : complaint);
  print_out("{}\n", usable ? "heddle works here" : "heddle cannot work here");
  return 0;
}

}  // namespace

namespace {

void add_doctor(CLI::App& app, Session& session) {
  Verb verb(app, "doctor", "show what this machine allows, and what Heddle does without the rest", TakesProgram::kNo);
  verb.exit_codes("shown", "", "cannot be shown");
  auto json = std::make_shared<bool>(false);
  verb.flag("--json", *json, "one JSON document on stdout and nothing else there");
  verb.when_chosen([&session, json] {
    session.chosen = [&session, json] {
      session.no_program("doctor");
      return run(*json);
    };
  });
}

constexpr VerbRow kDoctorVerb{160, add_doctor};
HEDDLE_ROW(verbs, kDoctorVerb);

}  // namespace

}  // namespace heddle::cli
