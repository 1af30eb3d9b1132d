#pragma once
// What the parts of a diagnosis share: the failing run in words, what was tested about it, and the diagnosis as it grows.
#include <string>

#include "report/lines.h"

namespace heddle::report {

struct Case {
  Names& names;
  const Trace& trace;
  const Cause* cause;            // may be null
  const Trace* passing;          // the nearest passing run; may be null
  const Stacks* passing_stacks;  // of its events; may be null
  Lines& lines;
  Diagnosis& d;

  bool has_cause() const { return cause != nullptr && cause->kind != CauseKind::kNone; }
  std::string thread(uint32_t index) const { return names.thread(index); }
  std::string object(const Event& e) const { return names.object(e.object, e.op); }
  // "T1 locks lock at a.c:5 (step 4)"
  std::string happened(size_t step) const;
  // "a.c:5": the program's own line that led to the event; empty where there is none.
  std::string place(size_t step) const;
  // The same for an event of the passing run.
  std::string passing_place(size_t step) const;
  // " at a.c:5", or nothing.
  std::string at(size_t step) const;
  // The line, and the caller's where the event lies in a function that several places call: "a.c:5 (called at a.c:20)".
  std::string place_and_caller(size_t step) const;
  // A name for a sentence: "`count`", or nothing where it has only a letter and no meaning by itself.
  std::string quoted(const std::string& name) const { return name.empty() ? "it" : name.rfind("the ", 0) == 0 ? name : "`" + name + "`"; }
  // The first line of that file, comments aside, that has all the words and the name; 0 for none.
  int line_with(const std::string& file, const std::vector<std::string>& words, const std::string& name) const;
  // Where `parent` joins the thread, in this run or in the passing one: "a.c:9"; empty if it does not.
  std::string join_place(uint32_t joined, uint32_t by) const;
};

// Is the name one of the words of that text?
bool has_name(const std::string& text, const std::string& name);

}  // namespace heddle::report
