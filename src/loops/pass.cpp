// A clang plugin: finds loops whose iterations may be redundant (LEAN, section 3.2.2), and lets Heddle leave out each of them. At the start of the pipeline every
// variable of the source is still in memory, so that to leave out an iteration is a jump from the loop's condition to its increment.
//
//   cond:  br body | end              cond:  br mark | end
//   body:  ...; br inc         ->     mark:  heddle_skip_iteration("file:line") ? br inc : br body
//   inc:   i++; br cond               body:  ...; br done     done: heddle_end_iteration("file:line"); br inc
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "loops/statements.h"

namespace heddle::loops {

namespace {

using namespace llvm;

struct Found {
  BasicBlock* condition;
  BasicBlock* body;
  BasicBlock* increment;
  DebugLoc where;
};

bool has_prefix(StringRef text, StringRef prefix) { return text.substr(0, prefix.size()) == prefix; }

// Memory that other threads may see without a call: a loop of the program's that has neither is not what a schedule is about.
bool may_matter(const Instruction& i) {
  if (isa<CallBase>(i)) return !isa<IntrinsicInst>(i);
  if (i.isAtomic()) return true;
  const auto* store = dyn_cast<StoreInst>(&i);
  return store != nullptr && isa<GlobalValue>(store->getPointerOperand()->stripPointerCasts());
}

// The program marks this loop itself.
bool is_mark(const Instruction& i) {
  const auto* call = dyn_cast<CallBase>(&i);
  const Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
  if (callee == nullptr) return false;
  const StringRef name = callee->getName();
  return name.contains("heddle_left_out_") || name.contains("heddle_iteration_");
}

// An increment or decrement of one variable, once; in C++ also of an iterator, by a call.
bool steps_once(const BasicBlock& increment) {
  unsigned stores = 0, calls = 0;
  for (const Instruction& i : increment) {
    if (isa<CallInst>(i) && !isa<IntrinsicInst>(i)) ++calls;
    const auto* store = dyn_cast<StoreInst>(&i);
    if (store == nullptr) continue;
    ++stores;
    const Value* variable = store->getPointerOperand();
    const auto* changed = dyn_cast<Instruction>(store->getValueOperand());
    if (changed == nullptr || changed->getNumOperands() == 0) return false;
    const auto* was = dyn_cast<LoadInst>(changed->getOperand(0));
    const bool steps = isa<GetElementPtrInst>(changed) || changed->getOpcode() == Instruction::Add ||
                       changed->getOpcode() == Instruction::Sub || changed->getOpcode() == Instruction::FAdd;
    if (!steps || was == nullptr || was->getPointerOperand() != variable) return false;
  }
  return (stores == 1 && calls == 0) || (stores == 0 && calls == 1);
}

// Whoever jumps to the increment from the condition has not executed the body: nothing that the body defines may be used there.
bool needs_body(const Loop& loop, const Found& found) {
  const auto from_body = [&](const Value* value) {
    const auto* i = dyn_cast<Instruction>(value);
    return i != nullptr && loop.contains(i->getParent()) && i->getParent() != found.condition && i->getParent() != found.increment;
  };
  for (const Instruction& i : *found.increment) {
    if (isa<PHINode>(i)) return true;
    for (const Use& use : i.operands()) {
      if (from_body(use.get())) return true;
    }
  }
  for (const PHINode& phi : found.condition->phis()) {
    if (from_body(phi.getIncomingValueForBlock(found.increment))) return true;
  }
  return false;
}

// No break, goto or return: the loop is left at its condition, or by an exception.
bool is_left_elsewhere(const Loop& loop, const BasicBlock* condition) {
  SmallVector<BasicBlock*, 8> leaving;
  loop.getExitingBlocks(leaving);
  for (const BasicBlock* block : leaving) {
    if (block == condition) continue;
    const Instruction* end = block->getTerminator();
    const auto* invoke = dyn_cast<InvokeInst>(end);
    if (invoke == nullptr || !loop.contains(invoke->getNormalDest())) return true;
  }
  return false;
}

bool find(const Loop& loop, const LoopInfo& all, Found* found) {
  BasicBlock* condition = loop.getHeader();
  BasicBlock* increment = loop.getLoopLatch();
  const auto* branch = dyn_cast<BranchInst>(condition->getTerminator());
  if (increment == nullptr || increment == condition || branch == nullptr || !branch->isConditional()) return false;
  const bool first = loop.contains(branch->getSuccessor(0));
  if (first == loop.contains(branch->getSuccessor(1))) return false;
  *found = {condition, branch->getSuccessor(first ? 0 : 1), increment, loop.getStartLoc()};
  const auto* back = dyn_cast<BranchInst>(increment->getTerminator());
  if (found->body == increment || back == nullptr || back->isConditional() || !found->where) return false;
  if (isa<PHINode>(found->body->front()) || !steps_once(*increment) || is_left_elsewhere(loop, condition) || needs_body(loop, *found))
    return false;
  bool matters = false;
  for (const BasicBlock* block : loop.blocks()) {
    if (block == increment || block == condition) continue;
    for (const Instruction& i : *block) {
      matters |= may_matter(i);
      if (is_mark(i) && all.getLoopFor(block) == &loop) return false;
    }
  }
  return matters;
}

void mark(Function& function, const Found& found, const std::string& place) {
  Module& module = *function.getParent();
  LLVMContext& context = module.getContext();
  IRBuilder<> builder(context);
  auto* text = builder.getInt8Ty()->getPointerTo();
  const FunctionCallee skip = module.getOrInsertFunction("heddle_skip_iteration", builder.getInt32Ty(), text);
  const FunctionCallee end = module.getOrInsertFunction("heddle_end_iteration", builder.getVoidTy(), text);

  BasicBlock* done = BasicBlock::Create(context, "heddle.done", &function, found.increment);
  SmallVector<BasicBlock*, 8> before(pred_begin(found.increment), pred_end(found.increment));
  for (BasicBlock* block : before) block->getTerminator()->replaceSuccessorWith(found.increment, done);
  BasicBlock* begin = BasicBlock::Create(context, "heddle.mark", &function, found.body);
  found.condition->getTerminator()->replaceSuccessorWith(found.body, begin);

  builder.SetInsertPoint(begin);
  builder.SetCurrentDebugLocation(found.where);
  Value* here = builder.CreateGlobalStringPtr(place, "heddle.place", 0, &module);
  Value* left_out = builder.CreateICmpNE(builder.CreateCall(skip, {here}), builder.getInt32(0));
  builder.CreateCondBr(left_out, found.increment, found.body);
  builder.SetInsertPoint(done);
  builder.SetCurrentDebugLocation(found.where);
  builder.CreateCall(end, {here});
  builder.CreateBr(found.increment);
}

// "file:line", and the column where the line has several loops. The same for both copies of a function: heddle-cc compiles the source twice, alike.
std::string place_of(const Found& found, std::set<std::string>& taken) {
  std::string place = found.where->getFilename().str() + ":" + std::to_string(found.where.getLine());
  if (!taken.insert(place).second) place += "." + std::to_string(found.where.getCol());
  return place;
}

// Of a system header: its loops are the library's business.
bool is_own(const Function& function) {
  const DISubprogram* about = function.getSubprogram();
  return !function.isDeclaration() && about != nullptr && !has_prefix(about->getFilename(), "/usr/") &&
         !has_prefix(function.getName(), "heddle_");
}

class LoopsPass : public PassInfoMixin<LoopsPass> {
 public:
  // NOLINTNEXTLINE(readability-identifier-naming): the name that LLVM looks for
  static bool isRequired() { return true; }
  static PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    const char* asked = std::getenv("HEDDLE_LOOPS");
    const bool explains = asked != nullptr && StringRef(asked) == "explain";
    const char* about = std::getenv("HEDDLE_STATEMENTS");
    const StringRef statements = about != nullptr ? about : "0";
    std::set<std::string> taken, taken_statements;
    bool changed = false;
    for (Function& function : module) {
      if (!is_own(function)) continue;
      std::vector<Found> found;
      {
        const DominatorTree tree(function);
        const LoopInfo loops(tree);
        for (const Loop* loop : loops.getLoopsInPreorder()) {
          Found one{};
          if (find(*loop, loops, &one)) found.push_back(one);
        }
      }
      for (const Found& one : found) {
        const std::string place = place_of(one, taken);
        mark(function, one, place);
        if (explains) errs() << "heddle-cc: loop " << place << "\n";
      }
      changed |= !found.empty();
      if (statements != "0") changed |= mark_statements(function, taken_statements, statements == "explain") > 0;
    }
    if (asked != nullptr && StringRef(asked) == "strip") changed |= StripDebugInfo(module);  // a plain copy: the other one has it
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

}  // namespace

}  // namespace heddle::loops

extern "C" __attribute__((visibility("default"))) LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "heddle-loops", "1", [](llvm::PassBuilder& builder) {
            builder.registerPipelineStartEPCallback(
                [](llvm::ModulePassManager& passes, auto...) { passes.addPass(heddle::loops::LoopsPass()); });
          }};
}
