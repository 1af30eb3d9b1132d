#include "trace/block_trace.h"

#include <algorithm>

#include "trace/error.h"

namespace heddle::trace {

namespace {

uint64_t wide(std::span<const uint32_t> words, size_t at) { return words[at] | static_cast<uint64_t>(words[at + 1]) << 32; }

[[noreturn]] void refuse() { throw Error("what the Valgrind tool wrote about the run cannot be read"); }

}  // namespace

BlockTrace::BlockTrace(std::span<const std::byte> memory) : memory_(memory), head_(nullptr) {
  if (memory.size() < sizeof(HeddleBlockTrace)) refuse();
  head_ = reinterpret_cast<const HeddleBlockTrace*>(memory.data());
  if (head_->version != kHeddleTraceVersion || head_->description_at + head_->description_words * 4 > memory.size()) refuse();
  if (head_->chunks_at + head_->chunk_capacity * kHeddleChunkWords * 8 > memory.size()) refuse();
  read_descriptions();
}

uint64_t BlockTrace::bytes() const { return head_->chunks * kHeddleChunkWords * 8 + head_->description_words * 4; }

void BlockTrace::read_descriptions() {
  const std::span<const uint32_t> all(reinterpret_cast<const uint32_t*>(memory_.data() + head_->description_at), head_->description_words);
  for (size_t at = 0; at < all.size();) {
    const uint32_t count = all[at];
    if (count < 6 || at + count > all.size()) refuse();
    const std::span<const uint32_t> words = all.subspan(at, count);
    if (words[1] == kHeddleModule) {
      const char* path = reinterpret_cast<const char*>(words.data() + 6);
      modules_.push_back({std::string(path, std::min<size_t>(words[5], (count - 6) * 4)), wide(words, 3)});
    } else {
      read_block(words);
    }
    at += count;
  }
}

void BlockTrace::read_block(std::span<const uint32_t> words) {
  if (words.size() < kHeddleBlockHeader) refuse();
  BlockCode block;
  block.code = static_cast<HeddleBlockCode>(words[2]);
  block.end = static_cast<HeddleBlockEnd>(words[3]);
  block.pc = block.last_pc = wide(words, 4);
  block.next = wide(words, 6);
  block.module = words[8];
  block.accesses = words[9];
  for (size_t at = kHeddleBlockHeader; at + 1 < words.size();) {
    BlockStep step;
    step.kind = static_cast<HeddleStep>(words[at] & 0xFF);
    step.uses = words[at] >> 8 & 0xFF;
    step.flags = words[at] >> 16;
    step.defines = words[at + 1];
    at += 2;
    const bool has_address = step.kind == kHeddleAt || step.kind == kHeddleExit;
    const bool accesses = step.kind == kHeddleLoad || step.kind == kHeddleStore || step.kind == kHeddleExchange;
    if (at + (has_address ? 2 : 0) + (accesses ? 1 : 0) + step.uses > words.size()) refuse();
    if (has_address) {
      (step.kind == kHeddleAt ? block.last_pc : step.target) = wide(words, at);
      at += 2;
    }
    if (accesses) {
      step.access = words[at] & 0xFFFF;
      step.size = words[at] >> 16;
      ++at;
    }
    step.first_use = static_cast<uint32_t>(block.uses.size());
    block.uses.insert(block.uses.end(), words.begin() + static_cast<long>(at), words.begin() + static_cast<long>(at + step.uses));
    at += step.uses;
    step.pc = block.last_pc;
    if (step.kind != kHeddleAt) block.steps.push_back(step);
  }
  block.stub = block.end == kHeddleEndsPlain && block.next == 0 && block.accesses == 1 &&
               std::all_of(block.steps.begin(), block.steps.end(), [](const BlockStep& step) {
                 return step.kind == kHeddleExit ? step.target == 0 : (step.defines & HEDDLE_TEMPORARY) != 0;
               });
  blocks_[words[1]] = std::move(block);
}

std::span<const uint64_t> BlockTrace::chunk(uint64_t number) const {
  const auto* first = reinterpret_cast<const uint64_t*>(memory_.data() + head_->chunks_at);
  const uint64_t* begin = first + number % head_->chunk_capacity * kHeddleChunkWords;
  return {begin, static_cast<size_t>(std::min<uint64_t>(begin[0], kHeddleChunkWords))};
}

std::vector<BlockRun> BlockTrace::runs_of(std::span<const uint64_t> words) const {
  std::vector<BlockRun> runs;
  for (size_t at = kHeddleChunkHeader; at < words.size();) {
    BlockRun run;
    const uint64_t number = (words[at] & ~HEDDLE_INSIDE) >> 16;
    run.inside = (words[at] & HEDDLE_INSIDE) != 0;
    run.thread = words[at] & 0xFFFF;
    run.words = words.data() + at + 1;
    if (number == kHeddleStepRecord) {
      run.step = words[at + 1];
      at += 2;
    } else if (number == kHeddleWrittenRecord) {
      run.step = UINT64_MAX;
      at += 3;
    } else {
      const auto found = blocks_.find(number);
      if (found == blocks_.end()) break;  // its description did not fit
      run.code = &found->second;
      run.inside = run.inside || run.code->code == kHeddleRuntimeCode;
      at += 1 + 2 * static_cast<size_t>(found->second.accesses);
    }
    if (at > words.size()) break;
    runs.push_back(run);
  }
  return runs;
}

void BlockTrace::backwards(const std::function<bool(const BlockRun&)>& visit) const {
  uint64_t step = UINT64_MAX;
  const uint64_t kept = std::min(head_->chunks, head_->chunk_capacity);
  for (uint64_t number = head_->chunks; number > head_->chunks - kept; --number) {
    const std::vector<BlockRun> runs = runs_of(chunk(number - 1));
    if (step == UINT64_MAX) {
      for (const BlockRun& run : runs) {
        if (run.code == nullptr && run.step != UINT64_MAX) step = run.step;
      }
    }
    for (size_t i = runs.size(); i > 0; --i) {
      BlockRun run = runs[i - 1];
      if (run.code == nullptr && run.step != UINT64_MAX) {
        step = run.step > 0 ? run.step - 1 : 0;
        continue;
      }
      run.step = step;
      if (!visit(run)) return;
    }
  }
}

}  // namespace heddle::trace
