#include "trace/model_check.h"

#include <fmt/format.h>

#include <cstring>

#include "trace/objects.h"
#include "wire/ready_log.h"

namespace heddle::trace {

namespace {

constexpr const char* kReadyWords[] = {"blocked", "ready", "ready by time-out", "unknown"};

class ModelComparison {
 public:
  explicit ModelComparison(const Trace& trace)
      : trace_(trace),
        rows_(trace.data().races),
        objects_(trace),
        now_(objects_.start()),
        own_(trace.threads().size()),
        done_(trace.threads().size()) {
    for (size_t i = 0; i < trace.events().size(); ++i) own_[trace.events()[i].thread].push_back(i);
  }

  ModelCheck go() {
    size_t executed = 0;
    uint64_t at = 0;
    // What was logged before the run was claimed is gone with its tables.
    while (at < rows_.size() * kReadyLogRow && ready_log_word(rows_.data(), at) == 0) ++at;
    while (at < rows_.size() * kReadyLogRow) {
      ReadyLogHead head;
      std::memcpy(&head, &ready_log_word(rows_.data(), at), sizeof head);
      if (head.words == 0 || at + head.words >= rows_.size() * kReadyLogRow || head.step >= trace_.events().size()) break;
      for (; executed < head.step; ++executed) {
        ++done_[trace_.events()[executed].thread];
        if (!is_memory(trace_.events()[executed].op)) now_.apply(objects_.happening(executed));
      }
      for (uint32_t w = 0; w < head.words; ++w) {
        ReadyLogThread four[4];
        std::memcpy(four, &ready_log_word(rows_.data(), at + 1 + w), sizeof four);
        for (uint32_t i = 0; i < 4 && 4 * w + i < own_.size(); ++i) compare(head.step, 4 * w + i, four[i]);
      }
      ++result_.events;
      at += 1 + head.words;
    }
    return std::move(result_);
  }

 private:
  void compare(size_t step, uint32_t thread, const ReadyLogThread& logged) {
    if ((logged.live != 0) != now_.threads[thread].live) {
      // A thread that was there before the first event and never got to one of its own.
      if (own_[thread].empty()) return;
      return say(step, thread, fmt::format("is {}alive", logged.live != 0 ? "" : "not "),
                 now_.threads[thread].live ? "alive" : "not alive");
    }
    if (logged.live == 0) return;
    const Thread& t = trace_.threads()[thread];
    const bool comes = done_[thread] < own_[thread].size();
    const Op op = comes ? trace_.events()[own_[thread][done_[thread]]].op : t.pending;
    const ObjectId object = comes ? trace_.events()[own_[thread][done_[thread]]].object : t.object;
    // A signal or a cancellation came between.
    if (static_cast<uint8_t>(op) != logged.op || static_cast<Ready>(logged.ready) == Ready::kUnknown) {
      ++result_.unknown;
      return;
    }
    const Ready says = now_.ready(op, objects_.asker(thread, op, object));
    if (says == Ready::kUnknown) {
      ++result_.unknown;
      return;
    }
    ++result_.compared;
    auto runtime = static_cast<Ready>(logged.ready);
    // No event tells the time: what the clock has let through the model calls a time-out.
    if (logged.due != 0 && runtime == Ready::kYes && says == Ready::kTimeout) return;
    if (runtime != says) say(step, thread, kReadyWords[logged.ready], kReadyWords[static_cast<uint8_t>(says)]);
  }

  void say(size_t step, uint32_t thread, const std::string& runtime, const std::string& model) {
    constexpr size_t kMost = 10;
    if (++result_.different > kMost) return;
    const bool comes = done_[thread] < own_[thread].size();
    const Op op = comes ? trace_.events()[own_[thread][done_[thread]]].op : trace_.threads()[thread].pending;
    result_.differences.push_back(fmt::format("before event {} thread {}, at \"{}\": {} in the runtime, {} in the model", step + 1,
                                              trace_.threads()[thread].path, row(op).words, runtime, model));
  }

  const Trace& trace_;
  std::vector<RaceRow> rows_;
  const TraceObjects objects_;
  RunState now_;
  std::vector<std::vector<size_t>> own_;
  std::vector<size_t> done_;
  ModelCheck result_;
};

}  // namespace

ModelCheck check_model(const Trace& trace) { return ModelComparison(trace).go(); }

}  // namespace heddle::trace
