#include "report/junit.h"

#include <fmt/format.h>

#include "report/diagnosis.h"

namespace heddle::report {

namespace {

// Length of the UTF-8 sequence at `at` that XML allows, or 0.
size_t allowed(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(at + i < text.size() ? text[at + i] : 0); };
  const unsigned char c = byte(0);
  if (c < 0x80) return c >= 0x20 || c == '\n' || c == '\t' ? 1 : 0;
  const size_t length = c >= 0xF0 && c < 0xF5 ? 4 : c >= 0xE0 ? 3 : c >= 0xC2 ? 2 : 0;
  if (length == 0 || c >= 0xF5) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (c == 0xE0 && byte(1) < 0xA0) return 0;
  if (c == 0xED && byte(1) >= 0xA0) return 0;                     // surrogates
  if (c == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE) return 0;  // U+FFFE, U+FFFF
  if ((c == 0xF0 && byte(1) < 0x90) || (c == 0xF4 && byte(1) >= 0x90)) return 0;
  return length;
}

}  // namespace

std::string xml_escaped(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t length = allowed(text, i);
    if (length == 0) {
      out += '?';
      ++i;
      continue;
    }
    switch (text[i]) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&apos;"; break;
      default: out.append(text, i, length);
    }
    i += length;
  }
  return out;
}

std::string junit_text(const Story& story) {
  Names names(story.failing, story.symbols, story.stacks);
  const Diagnosis d = diagnose(names, story);
  const std::string program = story.bug.command.empty() ? "program" : story.bug.command.front();
  std::string command;
  for (const std::string& word : story.bug.command) command += (command.empty() ? "" : " ") + word;
  const double seconds = story.bug.find_seconds + story.bug.simplify_seconds;
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  text += fmt::format("<testsuites name=\"heddle\" tests=\"1\" failures=\"1\" errors=\"0\" time=\"{:.3f}\">\n", seconds);
  text +=
      fmt::format("  <testsuite name=\"heddle\" tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"{:.3f}\" timestamp=\"{}\">\n",
                  seconds, xml_escaped(story.bug.saved_at.substr(0, 19)));
  text += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n", xml_escaped(program.substr(program.rfind('/') + 1)),
                      xml_escaped(story.bug.test.empty() ? command : story.bug.test), seconds);
  TextOptions options;
  options.width = 100;
  text += fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n", rule_name(d.kind),
                      xml_escaped(d.title() + (d.ending.empty() ? "" : " (" + d.ending + ")")), xml_escaped(explain_text(story, options)));
  text += "    </testcase>\n  </testsuite>\n</testsuites>\n";
  return text;
}

namespace {

constexpr FormatRow kJunitFormat{30, "junit", "junit.xml", [](const Story& story, const OtherRuns&) { return junit_text(story); }};
HEDDLE_ROW(formats, kJunitFormat);

}  // namespace

}  // namespace heddle::report
