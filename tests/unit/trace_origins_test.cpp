// Walking backwards through blocks that a run executed; the runs are made up, in the form that the Valgrind tool writes.
#include "trace/origins.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "store/saved_origins.h"
#include "trace/statements.h"

namespace heddle::test {
namespace {

constexpr uint32_t kTemporary0 = HEDDLE_TEMPORARY;
constexpr uint32_t kRegisterA = 16 << 8 | 8, kRegisterB = 40 << 8 | 8;
constexpr uint64_t kMark = 0x9000;
constexpr uint64_t kX = 0x1000, kY = 0x2000, kZ = 0x3000;

uint32_t word(HeddleStep kind, size_t uses, uint32_t flags = 0) { return kind | static_cast<uint32_t>(uses) << 8 | flags << 16; }

// A block trace in memory: each block is one instruction.
class MadeUp {
 public:
  MadeUp() : bytes_(kDescriptionAt + kDescriptionBytes + kHeddleChunkWords * 8) {
    chunk_ = {0, 0};
    module();
    event(1);
  }

  // register := memory
  uint32_t load(uint32_t into) { return block(1, {word(kHeddleLoad, 0), into, access()}); }
  // memory := register
  uint32_t store(uint32_t from) { return block(1, {word(kHeddleStore, 1), kHeddleNoPlace, access(), from}); }
  // register := f(registers)
  uint32_t compute(uint32_t into, std::vector<uint32_t> from, uint32_t flags = 0) {
    std::vector<uint32_t> words = {word(kHeddleCompute, from.size(), flags), into};
    words.insert(words.end(), from.begin(), from.end());
    return block(0, std::move(words));
  }

  MadeUp& ran(uint32_t block, uint32_t thread, uint64_t address = 0, uint64_t value = 0) {
    chunk_.push_back(uint64_t{block} << 16 | thread);
    if (accesses_[block] == 1) {
      chunk_.push_back(address);
      chunk_.push_back(value);
    }
    ++blocks_;
    return *this;
  }
  // What the runtime says about a statement: a block of three stores.
  MadeUp& says(uint32_t thread, LoopId statement, uint64_t number, uint64_t operations, StatementState state) {
    if (mark_ == 0) {
      std::vector<uint32_t> steps;
      for (uint32_t i = 0; i < 3; ++i) steps.insert(steps.end(), {word(kHeddleStore, 0), kHeddleNoPlace, i | 8 << 16});
      mark_ = block(3, std::move(steps), kHeddleRuntimeCode);
    }
    chunk_.push_back(uint64_t{mark_} << 16 | thread);
    chunk_.insert(chunk_.end(), {kMark, statement, kMark + 8, number, kMark + 16, operations * 4 + state});
    return *this;
  }
  MadeUp& event(uint64_t number) {
    chunk_.push_back(uint64_t{kHeddleStepRecord} << 16);
    chunk_.push_back(number);
    return *this;
  }
  MadeUp& kernel_wrote(uint32_t thread, uint64_t address, uint64_t size) {
    chunk_.insert(chunk_.end(), {uint64_t{kHeddleWrittenRecord} << 16 | thread, address, size});
    return *this;
  }
  uint64_t pc(uint32_t block) const { return 0x400000 + block * 16; }

  std::span<const std::byte> memory() {
    HeddleBlockTrace head{};
    head.version = kHeddleTraceVersion;
    head.description_at = kDescriptionAt;
    head.description_words = head.description_capacity = description_.size();
    head.chunks_at = kDescriptionAt + kDescriptionBytes;
    head.chunk_capacity = head.chunks = 1;
    head.blocks = blocks_;
    chunk_[0] = chunk_.size();
    std::memcpy(bytes_.data(), &head, sizeof head);
    std::memcpy(bytes_.data() + kDescriptionAt, description_.data(), description_.size() * 4);
    std::memcpy(bytes_.data() + head.chunks_at, chunk_.data(), chunk_.size() * 8);
    return bytes_;
  }

 private:
  static constexpr size_t kDescriptionAt = 256, kDescriptionBytes = 16384;
  static uint32_t access() { return 0 | 8 << 16; }
  void module() { description_.insert(description_.end(), {6, kHeddleModule, 0, 0, 0, 0}); }
  uint32_t block(uint32_t accesses, std::vector<uint32_t> step, HeddleBlockCode code = kHeddleProgramCode) {
    const auto number = static_cast<uint32_t>(kHeddleFirstBlock + accesses_.size());
    const auto at = static_cast<uint32_t>(pc(number));
    std::vector<uint32_t> words = {0, number, static_cast<uint32_t>(code), kHeddleEndsPlain, at, 0, 0, 0, 0, accesses};
    words.insert(words.end(), {word(kHeddleAt, 0), kHeddleNoPlace, at, 0});
    words.insert(words.end(), step.begin(), step.end());
    words[0] = static_cast<uint32_t>(words.size());
    description_.insert(description_.end(), words.begin(), words.end());
    accesses_[number] = accesses;
    return number;
  }

  std::vector<std::byte> bytes_;
  std::vector<uint32_t> description_;
  std::vector<uint64_t> chunk_;
  std::map<uint32_t, uint32_t> accesses_;
  uint64_t blocks_ = 0;
  uint32_t mark_ = 0;
};

Origins of_bytes(MadeUp& run, uint64_t address, uint64_t at_step = UINT64_MAX) {
  const BlockTrace blocks(run.memory());
  OriginQuestion question;
  question.address = address;
  question.size = 8;
  question.at_step = at_step;
  return find_origins(blocks, question);
}

std::set<uint64_t> places(const Origins& origins) {
  std::set<uint64_t> all;
  for (const Origin& row : origins.rows) all.insert(row.pc);
  return all;
}

TEST(Origins, AValueGoesThroughMemoryAndRegistersOfSeveralThreads) {
  MadeUp run;
  const uint32_t loads = run.load(kRegisterA), doubles = run.compute(kRegisterB, {kRegisterA}), stores = run.store(kRegisterB);
  const uint32_t noise = run.store(kRegisterA), first = run.store(kRegisterA);
  run.ran(first, 1, kX, 7);    // thread 1: x = ...
  run.ran(noise, 3, kZ, 1);    // thread 3: something else
  run.ran(loads, 2, kX, 7);    // thread 2: a = x
  run.ran(doubles, 2);         // thread 2: b = 2 a
  run.ran(stores, 2, kY, 14);  // thread 2: y = b
  const Origins origins = of_bytes(run, kY);
  EXPECT_EQ(places(origins), (std::set{run.pc(first), run.pc(loads), run.pc(doubles), run.pc(stores)}));
  ASSERT_EQ(origins.writes.size(), 1U);
  EXPECT_EQ(origins.writes[0].value, 14U);
  EXPECT_EQ(origins.writes[0].thread, 2U);
  // Each row but the first is needed by the one before it.
  const std::vector<std::pair<uint32_t, uint32_t>> chain = {{0, 1}, {1, 2}, {2, 3}};
  EXPECT_EQ(origins.edges, chain);
}

TEST(Origins, TheLastWriterIsTheOriginAndAnOverwrittenValueIsNot) {
  MadeUp run;
  const uint32_t early = run.store(kRegisterA), late = run.store(kRegisterA);
  run.ran(early, 1, kX, 1).event(2).ran(late, 2, kX, 2);
  EXPECT_EQ(places(of_bytes(run, kX)), std::set{run.pc(late)});
  EXPECT_EQ(of_bytes(run, kX).writes.size(), 2U);
  // Before event 2 it was the other one.
  EXPECT_EQ(places(of_bytes(run, kX, 2)), std::set{run.pc(early)});
}

TEST(Origins, ARegisterThatMayKeepItsValueIsFollowedFurther) {
  for (const bool may : {false, true}) {
    MadeUp run;
    const uint32_t sets = run.compute(kRegisterA, {}), perhaps = run.compute(kRegisterA, {}, may ? kHeddleMayDefine : 0);
    const uint32_t stores = run.store(kRegisterA);
    run.ran(sets, 1).ran(perhaps, 1).ran(stores, 1, kX, 3);
    std::set expected{run.pc(perhaps), run.pc(stores)};
    if (may) expected.insert(run.pc(sets));
    EXPECT_EQ(places(of_bytes(run, kX)), expected) << may;
  }
}

TEST(Origins, RegistersBelongToTheirThread) {
  MadeUp run;
  const uint32_t sets = run.compute(kRegisterA, {}), stores = run.store(kRegisterA);
  run.ran(sets, 1).ran(sets, 2).ran(stores, 1, kX, 3);
  const Origins origins = of_bytes(run, kX);
  ASSERT_EQ(origins.rows.size(), 2U);
  EXPECT_EQ(origins.rows[1].thread, 1U);
}

TEST(Origins, AnInstructionThatSavesARegisterPassesTheNeedOn) {
  MadeUp run;
  const uint32_t sets = run.compute(kRegisterB, {}), moves = run.compute(kRegisterA, {kRegisterB}, kHeddlePasses),
                 stores = run.store(kRegisterA);
  run.ran(sets, 1).ran(moves, 1).ran(stores, 1, kX, 3);
  EXPECT_EQ(places(of_bytes(run, kX)), (std::set{run.pc(sets), run.pc(stores)}));
}

TEST(Origins, WhatTheKernelWroteHidesWhatWasThereBefore) {
  MadeUp run;
  const uint32_t stores = run.store(kRegisterA);
  run.ran(stores, 1, kX, 3).kernel_wrote(1, kX, 8);
  EXPECT_TRUE(of_bytes(run, kX).rows.empty());
}

TEST(Origins, TheLimitIsSaid) {
  MadeUp run;
  const uint32_t sets = run.compute(kRegisterA, {kRegisterA}), stores = run.store(kRegisterA);
  for (int i = 0; i < 50; ++i) run.ran(sets, 1);
  run.ran(stores, 1, kX, 3);
  const BlockTrace blocks(run.memory());
  OriginQuestion question;
  question.address = kX;
  question.size = 8;
  question.most = 10;
  const Origins cut = find_origins(blocks, question);
  EXPECT_TRUE(cut.cut);
  EXPECT_EQ(cut.rows.size(), 10U);
}

TEST(Origins, WhoNeedsItIsShownForSeveral) {
  MadeUp run;
  const uint32_t sets = run.compute(kRegisterA, {}), one = run.compute(kTemporary0 + 1, {kRegisterA});
  const uint32_t left = run.compute(kRegisterB, {kRegisterA}), stores = run.store(kRegisterB),
                 sum = run.compute(kRegisterB, {kRegisterA, kRegisterB});
  (void)one;
  run.ran(sets, 1).ran(left, 1).ran(sum, 1).ran(stores, 1, kX, 3);
  const Origins origins = of_bytes(run, kX);
  ASSERT_EQ(origins.rows.size(), 4U);  // stores, sum, left, sets
  size_t needing = 0;
  for (const auto& [needs, from] : origins.edges) needing += from == 3 ? 1 : 0;
  EXPECT_EQ(needing, 2U);  // sum and left
}

// Two threads, and the events given by thread and operation.
Trace of_events(std::vector<std::pair<uint32_t, Op>> events) {
  Trace::Data data;
  for (uint32_t t = 0; t < 3; ++t) {
    Thread thread;
    thread.id = t == 0 ? kMainThread : child_thread(kMainThread, t);
    thread.birth = t;
    data.threads.push_back(thread);
  }
  std::vector<uint64_t> numbers(3);
  std::vector<Event> list;
  for (const auto& [thread, op] : events) {
    Event e{};
    e.thread = thread;
    e.op = op;
    e.object = make_object(ObjectKind::kGlobal, 0, 64);
    e.number = static_cast<uint32_t>(++numbers[thread]);
    list.push_back(e);
  }
  for (const Event& e : list) data.events.push_back(e);
  data.statement_mark = kMark;
  return Trace(std::move(data));
}

std::vector<bool> needed_for(MadeUp& run, const Trace& trace, uint64_t address, StatementEdges edges = StatementEdges::kValues) {
  const BlockTrace blocks(run.memory());
  StatementRuns told = statement_runs(blocks, trace);
  OriginQuestion question;
  question.address = address;
  question.size = 8;
  slice_statements(told, blocks, trace, question, edges);
  std::vector<bool> needed;
  for (const StatementRun& r : told.runs) needed.push_back(r.relevant);
  return needed;
}

TEST(Statements, AreNeededWhereAValueCameFrom) {
  MadeUp run;
  const uint32_t writes = run.store(kRegisterA), loads = run.load(kRegisterB), stores = run.store(kRegisterB);
  run.says(1, 11, 1, 0, kStatementBegins).ran(writes, 1, kX, 7).says(1, 11, 1, 0, kStatementEnds);  // needed
  run.says(1, 13, 1, 0, kStatementBegins).ran(writes, 1, kZ, 7).says(1, 13, 1, 0, kStatementEnds);  // not
  run.says(1, 11, 2, 0, kStatementBegins).ran(writes, 1, kZ, 7).says(1, 11, 2, 0, kStatementEnds);  // the same statement: not
  run.ran(loads, 2, kX, 7).ran(stores, 2, kY, 7);
  EXPECT_EQ(needed_for(run, of_events({}), kY), (std::vector<bool>{true, false, false}));
}

TEST(Statements, InsideOthersAndLeftByAnException) {
  MadeUp run;
  const uint32_t writes = run.store(kRegisterA);
  run.says(1, 11, 1, 0, kStatementBegins);
  run.says(1, 13, 1, 0, kStatementBegins).ran(writes, 1, kZ, 7).says(1, 13, 1, 0, kStatementEnds);
  run.says(1, 15, 1, 0, kStatementBegins).ran(writes, 1, kX, 7).says(1, 15, 1, 0, kStatementEnds);
  run.says(1, 17, 1, 0, kStatementBegins);  // never ends
  run.says(1, 11, 1, 0, kStatementEnds);
  run.says(1, 19, 1, 0, kStatementBegins).ran(writes, 1, kZ, 7);  // the run ends in it
  const BlockTrace blocks(run.memory());
  const std::vector<StatementRun> runs = statement_runs(blocks, of_events({})).runs;
  ASSERT_EQ(runs.size(), 5U);
  EXPECT_EQ(runs[1].around, 0U);
  EXPECT_EQ(runs[4].around, kNoStatement);
  EXPECT_TRUE(runs[0].ended && !runs[3].ended && !runs[3].open && runs[4].open);
  EXPECT_EQ(needed_for(run, of_events({}), kX), (std::vector<bool>{true, false, true, true, false}));
}

TEST(Statements, BothEndsOfASectionStayIfSomethingInItIsNeeded) {
  const Trace trace = of_events({{1, Op::kMutexLock}, {1, Op::kMutexUnlock}, {1, Op::kMutexLock}, {1, Op::kMutexUnlock}});
  MadeUp run;
  const uint32_t writes = run.store(kRegisterA);
  run.says(1, 11, 1, 0, kStatementBegins).event(1).says(1, 11, 1, 1, kStatementEnds);
  run.ran(writes, 1, kZ, 7);  // in no statement, and not needed
  run.says(1, 13, 1, 1, kStatementBegins).event(2).says(1, 13, 1, 2, kStatementEnds);
  run.says(1, 11, 2, 2, kStatementBegins).event(3).says(1, 11, 2, 3, kStatementEnds);
  run.ran(writes, 1, kX, 7);
  run.says(1, 13, 2, 3, kStatementBegins).event(4).says(1, 13, 2, 4, kStatementEnds);
  EXPECT_EQ(needed_for(run, trace, kX), (std::vector<bool>{false, false, true, true}));
  // By the paper's graph the lock was released to the second by the first.
  EXPECT_EQ(needed_for(run, trace, kX, StatementEdges::kOrders), (std::vector<bool>{true, true, true, true}));
}

TEST(Statements, WhatComesBeforeANeededWriteOfAnotherThreadCountsInThePapersGraph) {
  MadeUp run;
  const uint32_t writes = run.store(kRegisterA);
  run.says(1, 11, 1, 0, kStatementBegins).ran(writes, 1, kX, 1).says(1, 11, 1, 0, kStatementEnds);
  run.says(2, 13, 1, 0, kStatementBegins).ran(writes, 2, kX, 2).says(2, 13, 1, 0, kStatementEnds);
  EXPECT_EQ(needed_for(run, of_events({}), kX), (std::vector<bool>{false, true}));
  EXPECT_EQ(needed_for(run, of_events({}), kX, StatementEdges::kOrders), (std::vector<bool>{true, true}));
}

TEST(Statements, ThreadsAndMessagesHoldTheirStatements) {
  for (const auto& [op, stays] : {std::pair{Op::kThreadCreate, true}, {Op::kCondSignal, true}, {Op::kSemPost, true}, {Op::kYield, false}}) {
    MadeUp run;
    run.says(1, 11, 1, 0, kStatementBegins).event(1).says(1, 11, 1, 1, kStatementEnds);
    EXPECT_EQ(needed_for(run, of_events({{1, op}}), kX), std::vector<bool>{stays});
  }
}

std::vector<OriginLine> two_lines() {
  OriginLine one, two;
  one.file = two.file = "a\xff.c";
  one.line = 3;
  two.line = 9;
  two.thread = 1;
  two.value = "x = 3";
  two.kind = OriginKind::kBranch;
  two.from = {0};
  return {one, two};
}

TEST(SavedOrigins, ComeBackAsTheyWere) { EXPECT_EQ(decode_origins(encode_origins(two_lines()), 2), two_lines()); }

TEST(SavedOrigins, OfAStrangerAreLookedAt) {
  EXPECT_TRUE(decode_origins(encode_origins(two_lines()), 1).empty());
  std::vector<OriginLine> lines = two_lines();
  lines[1].from = {7};
  EXPECT_TRUE(decode_origins(encode_origins(lines), 2).empty());
  for (const char* text : {"", "{", "[]", "{\"slice\": 3}", "{\"slice\": [{\"file\": 1}]}"}) EXPECT_TRUE(decode_origins(text, 2).empty());
}

}  // namespace
}  // namespace heddle::test
