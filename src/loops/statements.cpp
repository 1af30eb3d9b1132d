#include "loops/statements.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <map>
#include <vector>

namespace heddle::loops {

namespace {

using namespace llvm;

using Code = std::vector<Instruction*>;

struct Statement {
  Instruction* first = nullptr;
  Instruction* last = nullptr;
  DebugLoc where;
};

bool is_named(const CallBase& call, std::initializer_list<StringRef> prefixes) {
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr) return false;
  for (StringRef prefix : prefixes) {
    if (callee->getName().substr(0, prefix.size()) == prefix) return true;
  }
  return false;
}

// What has to be executed if what follows is, whatever it computes.
bool must_stay(const Instruction& i) {
  if (isa<AllocaInst>(i) || i.isEHPad() || isa<VAArgInst>(i) || isa<FenceInst>(i)) return true;
  if (isa<IntrinsicInst>(i)) return !isa<MemIntrinsic>(i);
  const auto* call = dyn_cast<CallBase>(&i);
  if (call == nullptr) return false;
  return call->isInlineAsm() || call->doesNotReturn() || call->hasFnAttr(Attribute::ReturnsTwice) || call->isMustTailCall() ||
         is_named(*call,
                  {"heddle_", "__cxa_", "__clang_call_terminate", "_Unwind_", "__tsan_", "setjmp", "_setjmp", "__sigsetjmp", "longjmp"}) ||
         call->hasOperandBundles();
}

// Something that others may see.
bool has_effect(const Instruction& i) {
  if (isa<CallBase>(i)) return !isa<IntrinsicInst>(i) || isa<MemIntrinsic>(i);
  if (i.isAtomic()) return i.mayWriteToMemory();
  const auto* store = dyn_cast<StoreInst>(&i);
  return store != nullptr && (store->isVolatile() || !isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand())));
}

// Blocks that are executed one after the other, whatever happens but an exception, as one list.
BasicBlock* follows(const BasicBlock& block) {
  BasicBlock* next = nullptr;
  if (const auto* invoke = dyn_cast<InvokeInst>(block.getTerminator())) next = invoke->getNormalDest();
  if (const auto* branch = dyn_cast<BranchInst>(block.getTerminator()); branch != nullptr && branch->isUnconditional())
    next = branch->getSuccessor(0);
  return next != nullptr && next->getSinglePredecessor() != nullptr && next != &block && !isa<PHINode>(next->front()) ? next : nullptr;
}

Code code_from(BasicBlock* block) {
  Code code;
  std::set<const BasicBlock*> seen;
  for (; block != nullptr && seen.insert(block).second; block = follows(*block)) {
    for (Instruction& i : *block) {
      if (isa<PHINode>(i) || isa<DbgInfoIntrinsic>(i) || (i.isTerminator() && !isa<InvokeInst>(i))) continue;
      code.push_back(&i);
    }
  }
  return code;
}

class Finder {
 public:
  explicit Finder(const Code& code) : code_(code) {
    for (size_t i = 0; i < code.size(); ++i) place_[code[i]] = i;
  }

  std::vector<Statement> find() {
    for (size_t first = 0; first < code_.size();) {
      const size_t last = closed_from(first);
      if (last >= code_.size()) break;
      take(first, last);
      first = last + 1;
    }
    return std::move(found_);
  }

 private:
  // Where the last value of the stretch that begins there is used: behind it nothing needs it. The end of the code: never, here.
  size_t closed_from(size_t first) const {
    size_t last = first;
    for (size_t i = first; i <= last && last < code_.size(); ++i) {
      if (isa<AllocaInst>(code_[i])) continue;  // these are variables
      for (const User* user : code_[i]->users()) {
        const auto at = place_.find(dyn_cast<Instruction>(user));
        last = std::max(last, at != place_.end() ? at->second : code_.size());
      }
    }
    return last;
  }

  void take(size_t first, size_t last) {
    DebugLoc where;
    for (size_t i = first; i <= last; ++i) {
      if (must_stay(*code_[i])) {
        joins_ = false;
        return;
      }
      if (has_effect(*code_[i]) && code_[i]->getDebugLoc()) where = code_[i]->getDebugLoc();
    }
    if (!where || where.getLine() == 0) {
      joins_ = false;
      return;
    }
    // Several of one line are one statement.
    const bool same =
        joins_ && !found_.empty() && found_.back().where.getLine() == where.getLine() && found_.back().where.getScope() == where.getScope();
    if (same) {
      found_.back().last = code_[last];
    } else {
      found_.push_back({code_[first], code_[last], where});
    }
    joins_ = true;
  }

  const Code& code_;
  std::map<const Instruction*, size_t> place_;
  std::vector<Statement> found_;
  bool joins_ = false;  // nothing lies between the last one and what comes next
};

// The word that says whether statements are counted in this run. By an instruction of its own: it is no access of the program's.
Value* asked(IRBuilder<>& builder) {
  auto* type = FunctionType::get(builder.getInt64Ty(), false);
  auto* read = InlineAsm::get(type, "movq heddle_statements@GOTPCREL(%rip), $0\n\tmovl ($0), ${0:k}", "=r", true);
  return builder.CreateICmpNE(builder.CreateCall(type, read), builder.getInt64(0), "heddle.asked");
}

void mark(Function& function, const Statement& s, const std::string& place) {
  Module& module = *function.getParent();
  LLVMContext& context = module.getContext();
  IRBuilder<> builder(context);
  auto* text = builder.getInt8Ty()->getPointerTo();
  const FunctionCallee skip = module.getOrInsertFunction("heddle_skip_statement", builder.getInt32Ty(), text);
  const FunctionCallee end = module.getOrInsertFunction("heddle_end_statement", builder.getVoidTy(), text);

  // What comes after it begins a block, and so does it.
  BasicBlock* after = nullptr;
  if (auto* invoke = dyn_cast<InvokeInst>(s.last)) {
    after = invoke->getNormalDest();
  } else {
    after = SplitBlock(s.last->getParent(), s.last->getNextNode());
  }
  BasicBlock* before = s.first->getParent();
  BasicBlock* stretch = SplitBlock(before, s.first);
  BasicBlock* ask = BasicBlock::Create(context, "heddle.ask", &function, stretch);
  BasicBlock* ended = BasicBlock::Create(context, "heddle.ended", &function, after);
  BasicBlock* tell = BasicBlock::Create(context, "heddle.tell", &function, after);

  before->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(before);
  builder.SetCurrentDebugLocation(s.where);
  builder.CreateCondBr(asked(builder), ask, stretch);
  builder.SetInsertPoint(ask);
  Value* here = builder.CreateGlobalStringPtr(place, "heddle.place", 0, &module);
  Value* left_out = builder.CreateICmpNE(builder.CreateCall(skip, {here}), builder.getInt32(0));
  builder.CreateCondBr(left_out, after, stretch);

  s.last->getParent()->getTerminator()->replaceSuccessorWith(after, ended);
  builder.SetInsertPoint(ended);
  // Asked again: with the same value the stretch would be compiled twice, and its accesses would have two places each.
  builder.CreateCondBr(asked(builder), tell, after);
  builder.SetInsertPoint(tell);
  builder.CreateCall(end, {here});
  builder.CreateBr(after);
}

std::string place_of(const DebugLoc& where, std::set<std::string>& taken) {
  std::string place = where->getFilename().str() + ":" + std::to_string(where.getLine());
  if (!taken.insert(place).second) place += "." + std::to_string(where.getCol());
  taken.insert(place);
  return place;
}

}  // namespace

unsigned mark_statements(Function& function, std::set<std::string>& taken, bool explains) {
  std::set<const BasicBlock*> continued;
  for (const BasicBlock& block : function) {
    if (const BasicBlock* next = follows(block)) continued.insert(next);
  }
  std::vector<Statement> all;
  for (BasicBlock& block : function) {
    if (continued.count(&block) != 0) continue;
    const std::vector<Statement> found = Finder(code_from(&block)).find();
    all.insert(all.end(), found.begin(), found.end());
  }
  for (const Statement& s : all) {
    const std::string place = place_of(s.where, taken);
    mark(function, s, place);
    if (explains) errs() << "heddle-cc: statement " << place << "\n";
  }
  return static_cast<unsigned>(all.size());
}

}  // namespace heddle::loops
