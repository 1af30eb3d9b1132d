#include "cli/origins.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "report/names.h"
#include "simplify/dependence.h"

namespace heddle::cli {

namespace {

// Of a long run, so much of its end is kept.
constexpr size_t kTraceBytes = size_t{512} << 20;

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

std::vector<Birth> births_of(const Trace& trace) {
  std::vector<Birth> births;
  std::vector<uint32_t> created(trace.threads().size());
  for (size_t e = 0; e < trace.events().size(); ++e) {
    const Event& event = trace.events()[e];
    if (event.op != Op::kThreadCreate) continue;
    const uint32_t birth = ++created[event.thread];
    for (uint32_t t = 0; t < trace.threads().size(); ++t) {
      const Thread& thread = trace.threads()[t];
      if (t != 0 && thread.parent == event.thread && thread.birth == birth) births.push_back({t, event.thread, e + 1});
    }
  }
  return births;
}

std::vector<TornUpdate> torn_updates(const Trace& trace) {
  std::vector<TornUpdate> torn;
  std::vector<size_t> last(trace.threads().size(), kNoDifference);
  for (size_t e = 0; e < trace.events().size(); ++e) {
    const Event& event = trace.events()[e];
    const size_t before = std::exchange(last[event.thread], e);
    if (event.op != Op::kStore || before == kNoDifference) continue;
    const Event& read = trace.events()[before];
    if (read.op == Op::kLoad && read.site == event.site && read.object == event.object) torn.push_back({event.thread, before, e});
  }
  return torn;
}

namespace {

// The innermost frame that is not the runtime's handler of the signal, nor the kernel's way into it.
SiteId faulting_site(const Trace& failing) {
  const std::vector<SiteId>& stack = failing.outcome().stack;
  size_t at = 0;
  const auto is_runtime = [&](SiteId site) {
    return site_module(site) < failing.modules().size() &&
           failing.modules()[site_module(site)].path.find("libheddle-rt") != std::string::npos;
  };
  while (at < stack.size() && is_runtime(stack[at])) ++at;
  if (at > 0) ++at;
  return at < stack.size() && site_module(stack[at]) < failing.modules().size() ? stack[at] : kNoSite;
}

}  // namespace

OriginQuestion about_failure(const Trace& failing) {
  OriginQuestion question;
  const OutcomeKind kind = failing.outcome().kind;
  const auto add = [&](uint32_t thread) {
    if (thread >= failing.threads().size()) return;
    for (const auto& known : question.endings) {
      if (known.thread == thread) return;
    }
    // A signal that the program sends itself comes by a call.
    const bool fault = kind == OutcomeKind::kSignal;
    const bool argument = kind == OutcomeKind::kExit || kind == OutcomeKind::kMisuse || kind == OutcomeKind::kDeadlock;
    OriginQuestion::Ending ending;
    ending.thread = thread;
    ending.fault = fault;
    ending.argument = argument;
    if (const SiteId site = fault ? faulting_site(failing) : kNoSite; site != kNoSite) {
      ending.module = failing.modules()[site_module(site)].path;
      ending.offset = site_offset(site);
    }
    question.endings.push_back(ending);
  };
  if (kind == OutcomeKind::kDeadlock || kind == OutcomeKind::kLivelock) {
    for (size_t e : bug_events(failing)) add(failing.events()[e].thread);
  }
  add(failing.outcome().thread);
  return question;
}

namespace {

std::optional<uint64_t> number_in(const std::string& text) {
  uint64_t value = 0;
  const bool hex = text.rfind("0x", 0) == 0;
  const char* begin = text.data() + (hex ? 2 : 0);
  const auto [end, failed] = std::from_chars(begin, text.data() + text.size(), value, hex ? 16 : 10);
  if (failed != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

bool is_file(const std::string& path, const std::string& asked) {
  return path == asked || (path.size() > asked.size() && path.compare(path.size() - asked.size(), asked.size(), asked) == 0 &&
                           path[path.size() - asked.size() - 1] == '/');
}

// Fills in what was asked for; a sentence where that is nothing.
std::string ask(OriginQuestion& question, const ValueQuestion& value, const BlockSymbols& symbols, OriginReport& report) {
  const std::string& text = value.expression;
  if (value.at > 0) question.at_step = value.at;
  const size_t colon = text.rfind(':');
  const auto line = colon != std::string::npos ? number_in(text.substr(colon + 1)) : std::nullopt;
  if (text.rfind("0x", 0) == 0) {
    const auto address = number_in(text);
    if (!address) return fmt::format("{}: not an address", text);
    question.address = *address;
    question.size = 8;
  } else if (line && colon > 0 && text[colon - 1] != ':') {
    const std::string file = text.substr(0, colon);
    question.instruction = [&symbols, file, number = static_cast<int>(*line)](uint32_t module, uint64_t pc) {
      const Frame& frame = symbols.frame(module, pc);
      return frame.line == number && is_file(frame.file, file);
    };
  } else {
    const BlockSymbols::Place place = symbols.global(text);
    if (place.size == 0) return fmt::format("{}: no global or static variable of that name is known from the debug information", text);
    question.address = place.address;
    question.size = place.size;
  }
  report.asked = text;
  return {};
}

}  // namespace

TracedRun trace_blocks(Campaign& campaign, const Trace& failing, uint32_t detect) {
  const auto start = std::chrono::steady_clock::now();
  TracedRun traced;
  const ValgrindTool tool = find_valgrind_tool();
  traced.why_not = tool.missing;
  if (!tool.present()) return traced;
  traced.file = std::make_unique<BlockTraceFile>(kTraceBytes);
  RunnerOptions options = campaign.runner_options();
  options.serve = options.reuse = options.snapshots.enabled = false;
  options.core = -1;
  try {
    Runner runner(under_valgrind(campaign.target(), tool, {"--trace=" + traced.file->path()}), options);
    Plan plan = campaign.replay_plan(failing);
    plan.detect = kDetectRaces | detect;
    const Trace again = runner.run(plan).trace;
    if (again.outcome().kind != failing.outcome().kind || again.events().size() < failing.events().size()) {
      traced.why_not = fmt::format("under Valgrind the run does not fail in the same way: {}", describe_failure(again));
      return traced;
    }
    traced.run = again;
    traced.blocks = std::make_unique<BlockTrace>(traced.file->memory());
  } catch (const Error& error) {
    if (error.exit_code() == ExitCode::kInterrupted) throw;
    traced.why_not = error.what();
  }
  traced.seconds = since(start);
  return traced;
}

OriginReport origins_of(Campaign& campaign, const Trace& failing, const ValueQuestion& value) {
  const auto start = std::chrono::steady_clock::now();
  OriginReport report;
  const TracedRun traced = trace_blocks(campaign, failing);
  report.why_not = traced.why_not;
  if (!report.found()) return report;
  const BlockSymbols symbols(*traced.blocks);
  OriginQuestion question = value.expression.empty() ? about_failure(failing) : OriginQuestion();
  if (!value.expression.empty()) report.why_not = ask(question, value, symbols, report);
  if (!report.found()) return report;
  question.births = births_of(failing);
  question.torn = torn_updates(failing);
  question.line = [&](uint32_t module, uint64_t pc) { return symbols.line_number(module, pc); };
  question.in_main = [&](uint32_t module, uint64_t pc) { return symbols.frame(module, pc).function == "main"; };
  const Origins origins = find_origins(*traced.blocks, question);
  report.lines = origin_lines(origins, symbols);
  report.writes = write_lines(origins, symbols);
  report.blocks = traced.blocks->blocks();
  report.bytes = traced.blocks->bytes();
  report.instructions = origins.rows.size();
  report.cut = origins.cut || traced.blocks->is_cut();
  report.seconds = since(start);
  if (report.lines.empty()) {
    const bool known = question.size > 0 || origins.found;
    report.why_not = value.expression.empty() ? "no instruction of the program's own with a known source line leads to the failure"
                     : !known                 ? fmt::format("{}: not executed in this run", value.expression)
                                              : fmt::format("{}: nothing with a known source line wrote it in this run", value.expression);
  }
  return report;
}

Json json_slice(const std::vector<OriginLine>& lines, const Trace& failing) {
  Json all = Json::array();
  for (const OriginLine& line : lines) {
    Json entry = {{"file", line.file}, {"line", line.line}, {"thread", thread_name(failing.threads()[line.thread])}, {"value", line.value}};
    entry["function"] = line.function;
    entry["step"] = line.step;
    entry["times"] = line.times;
    entry["distance"] = line.distance;
    entry["from"] = line.from;
    entry["kind"] = line.kind == OriginKind::kBranch ? "branch" : line.kind == OriginKind::kCall ? "call" : "value";
    all.push_back(std::move(entry));
  }
  return all;
}

}  // namespace heddle::cli
