/* What a block does, for somebody who walks backwards through a run: what each step of Valgrind's intermediate code defines, and what it uses.
   The stack pointer and the thread's own segment are not followed: they say where something lies, and nothing of what it is. What
   is computed from the stack pointer alone is an address, and is marked as one. */
#include "libvex_guest_amd64.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "tool.h"
#include "trace.h"

static UInt* words; /* of the block at hand */
static UInt count;
static UInt passing; /* flags of the steps of the instruction at hand */
static Bool overflow;
enum { kMostWords = 1 << 16, kMostTemps = 1 << 13, kMostUses = 64 };
static UChar on_stack[kMostTemps]; /* temporaries that hold addresses of the stack */

static void put(UInt word) {
  if (count < kMostWords) {
    words[count++] = word;
  } else {
    overflow = True;
  }
}
static void put_address(Addr address) {
  put((UInt)address);
  put((UInt)(address >> 32));
}

typedef struct {
  UInt places[kMostUses];
  UInt count;
  Bool only_stack, any_stack;
} Uses;

static Bool is_at(Int offset, Int size, Int reg) { return offset >= reg && offset + size <= reg + 8; }
static Bool is_not_followed(Int offset, Int size) {
  return is_at(offset, size, offsetof(VexGuestAMD64State, guest_RIP)) || is_at(offset, size, offsetof(VexGuestAMD64State, guest_FS_CONST));
}
static Bool is_stack_pointer(Int offset, Int size) { return is_at(offset, size, offsetof(VexGuestAMD64State, guest_RSP)); }

static void use_place(Uses* uses, UInt place) {
  if (uses->count < kMostUses) uses->places[uses->count++] = place;
}
static void use_registers(Uses* uses, Int offset, Int size, UInt bits) {
  if (is_not_followed(offset, size)) return;
  if (is_stack_pointer(offset, size)) {
    uses->any_stack = True;
    return;
  }
  uses->only_stack = False;
  for (; size > 0; offset += 128, size -= 128) use_place(uses, (UInt)offset << 8 | (UInt)(size < 128 ? size : 128) | bits);
}

static void use(Uses* uses, const IRExpr* e, UInt bits) {
  switch (e->tag) {
    case Iex_RdTmp:
      if (on_stack[e->Iex.RdTmp.tmp % kMostTemps]) {
        uses->any_stack = True;
        return;
      }
      uses->only_stack = False;
      use_place(uses, HEDDLE_TEMPORARY | bits | e->Iex.RdTmp.tmp);
      return;
    case Iex_Const: return;
    case Iex_Get: return; /* with its type, by its caller */
    case Iex_GetI:
      use_registers(uses, e->Iex.GetI.descr->base, e->Iex.GetI.descr->nElems * sizeofIRType(e->Iex.GetI.descr->elemTy), bits);
      use(uses, e->Iex.GetI.ix, bits);
      return;
    case Iex_Unop: use(uses, e->Iex.Unop.arg, bits); return;
    case Iex_Binop:
      use(uses, e->Iex.Binop.arg1, bits);
      use(uses, e->Iex.Binop.arg2, bits);
      return;
    case Iex_Triop:
      use(uses, e->Iex.Triop.details->arg1, bits);
      use(uses, e->Iex.Triop.details->arg2, bits);
      use(uses, e->Iex.Triop.details->arg3, bits);
      return;
    case Iex_Qop:
      use(uses, e->Iex.Qop.details->arg1, bits);
      use(uses, e->Iex.Qop.details->arg2, bits);
      use(uses, e->Iex.Qop.details->arg3, bits);
      use(uses, e->Iex.Qop.details->arg4, bits);
      return;
    case Iex_Load: use(uses, e->Iex.Load.addr, bits | HEDDLE_FOR_ADDRESS); return;
    case Iex_ITE:
      use(uses, e->Iex.ITE.cond, bits);
      use(uses, e->Iex.ITE.iftrue, bits);
      use(uses, e->Iex.ITE.iffalse, bits);
      return;
    case Iex_CCall:
      for (IRExpr** a = e->Iex.CCall.args; *a != NULL; a++) use(uses, *a, bits);
      return;
    default: return;
  }
}

static Uses no_uses(void) {
  Uses uses;
  uses.count = 0;
  uses.only_stack = True;
  uses.any_stack = False;
  return uses;
}

static void put_step(UInt kind, UInt flags, UInt defines, const Uses* uses, Int access, UInt size) {
  put(kind | uses->count << 8 | (flags | passing) << 16);
  put(defines);
  if (access >= 0) put((UInt)access | size << 16);
  for (UInt i = 0; i < uses->count; i++) put(uses->places[i]);
}

static void describe_assignment(const IRSB* in, const IRStmt* s, UInt* accesses) {
  const IRExpr* data = s->Ist.WrTmp.data;
  const IRTemp temp = s->Ist.WrTmp.tmp;
  Uses uses = no_uses();
  Bool is_address;
  if (data->tag == Iex_Get) {
    use_registers(&uses, data->Iex.Get.offset, sizeofIRType(data->Iex.Get.ty), 0);
  } else {
    use(&uses, data, 0);
  }
  is_address = uses.any_stack && uses.only_stack;
  if (data->tag == Iex_Load) {
    if (temp < kMostTemps) on_stack[temp] = False;
    put_step(kHeddleLoad, 0, HEDDLE_TEMPORARY | temp, &uses, (Int)(*accesses)++, sizeofIRType(data->Iex.Load.ty));
    return;
  }
  if (temp < kMostTemps) on_stack[temp] = is_address && typeOfIRTemp(in->tyenv, temp) == Ity_I64;
  put_step(kHeddleCompute, is_address ? kHeddleStackPlace : 0, HEDDLE_TEMPORARY | temp, &uses, -1, 0);
}

static void describe_put(Int offset, UInt size, const IRExpr* data) {
  Uses uses = no_uses();
  if (is_not_followed(offset, (Int)size) || is_stack_pointer(offset, (Int)size)) return;
  use(&uses, data, 0);
  put_step(kHeddleCompute, uses.any_stack && uses.only_stack ? kHeddleStackPlace : 0, (UInt)offset << 8 | size, &uses, -1, 0);
}

static void describe_exchange(const IRSB* in, const IRCAS* cas, UInt* accesses) {
  UInt size = sizeofIRType(typeOfIRExpr(in->tyenv, cas->dataLo));
  Uses uses = no_uses();
  use(&uses, cas->addr, HEDDLE_FOR_ADDRESS);
  use(&uses, cas->expdLo, 0);
  use(&uses, cas->dataLo, 0);
  if (cas->dataHi != NULL) {
    use(&uses, cas->expdHi, 0);
    use(&uses, cas->dataHi, 0);
    put_step(kHeddleExchange, 0, HEDDLE_TEMPORARY | cas->oldHi, &uses, (Int)*accesses, size * 2);
  }
  put_step(kHeddleExchange, 0, HEDDLE_TEMPORARY | cas->oldLo, &uses, (Int)*accesses, cas->dataHi != NULL ? size * 2 : size);
  *accesses += 2;
}

static void describe_dirty(const IRDirty* d, UInt* accesses) {
  Uses uses = no_uses();
  use(&uses, d->guard, 0);
  for (IRExpr** a = d->args; *a != NULL; a++) {
    if (!is_IRExpr_VECRET_or_GSPTR(*a)) use(&uses, *a, 0);
  }
  for (Int i = 0; i < d->nFxState; i++) {
    if (d->fxState[i].fx != Ifx_Write) use_registers(&uses, d->fxState[i].offset, d->fxState[i].size, 0);
  }
  if (d->mFx != Ifx_None) {
    use(&uses, d->mAddr, HEDDLE_FOR_ADDRESS);
    if (d->mFx != Ifx_Write)
      put_step(kHeddleLoad, 0, d->tmp != IRTemp_INVALID ? (HEDDLE_TEMPORARY | d->tmp) : kHeddleNoPlace, &uses, (Int)*accesses, d->mSize);
    if (d->mFx != Ifx_Read) put_step(kHeddleStore, 0, kHeddleNoPlace, &uses, (Int)*accesses, d->mSize);
    (*accesses)++;
  } else if (d->tmp != IRTemp_INVALID) {
    put_step(kHeddleCompute, 0, HEDDLE_TEMPORARY | d->tmp, &uses, -1, 0);
  }
  for (Int i = 0; i < d->nFxState; i++) {
    if (d->fxState[i].fx != Ifx_Read && !is_not_followed(d->fxState[i].offset, d->fxState[i].size) && d->fxState[i].size < 256)
      put_step(kHeddleCompute, kHeddleMayDefine, (UInt)d->fxState[i].offset << 8 | (UInt)d->fxState[i].size, &uses, -1, 0);
  }
}

static void describe_guarded(const IRSB* in, const IRStmt* s, UInt* accesses) {
  Uses uses = no_uses();
  if (s->tag == Ist_LoadG) {
    const IRLoadG* g = s->Ist.LoadG.details;
    IRType loaded, widened;
    typeOfIRLoadGOp(g->cvt, &widened, &loaded);
    use(&uses, g->addr, HEDDLE_FOR_ADDRESS);
    use(&uses, g->guard, 0);
    use(&uses, g->alt, 0);
    put_step(kHeddleLoad, 0, HEDDLE_TEMPORARY | g->dst, &uses, (Int)(*accesses)++, sizeofIRType(loaded));
  } else {
    const IRStoreG* g = s->Ist.StoreG.details;
    use(&uses, g->addr, HEDDLE_FOR_ADDRESS);
    use(&uses, g->guard, 0);
    use(&uses, g->data, 0);
    put_step(kHeddleStore, 0, kHeddleNoPlace, &uses, (Int)(*accesses)++, sizeofIRType(typeOfIRExpr(in->tyenv, g->data)));
  }
}

static Bool is_in_frame(const IRExpr* address) { return address->tag == Iex_RdTmp && on_stack[address->Iex.RdTmp.tmp % kMostTemps]; }

static void describe_statement(const IRSB* in, const IRStmt* s, UInt* accesses) {
  Uses uses = no_uses();
  switch (s->tag) {
    case Ist_WrTmp: describe_assignment(in, s, accesses); return;
    case Ist_Put: describe_put(s->Ist.Put.offset, sizeofIRType(typeOfIRExpr(in->tyenv, s->Ist.Put.data)), s->Ist.Put.data); return;
    case Ist_PutI: {
      const IRPutI* p = s->Ist.PutI.details;
      const UInt size = p->descr->nElems * sizeofIRType(p->descr->elemTy);
      use(&uses, p->ix, 0);
      use(&uses, p->data, 0);
      put_step(kHeddleCompute, kHeddleMayDefine, (UInt)p->descr->base << 8 | size, &uses, -1, 0);
      return;
    }
    case Ist_Store:
      use(&uses, s->Ist.Store.addr, HEDDLE_FOR_ADDRESS);
      use(&uses, s->Ist.Store.data, 0);
      put_step(kHeddleStore, is_in_frame(s->Ist.Store.addr) ? kHeddleInFrame : 0, kHeddleNoPlace, &uses, (Int)(*accesses)++,
               sizeofIRType(typeOfIRExpr(in->tyenv, s->Ist.Store.data)));
      return;
    case Ist_LoadG:
    case Ist_StoreG: describe_guarded(in, s, accesses); return;
    case Ist_CAS: describe_exchange(in, s->Ist.CAS.details, accesses); return;
    case Ist_Dirty: describe_dirty(s->Ist.Dirty.details, accesses); return;
    case Ist_Exit:
      use(&uses, s->Ist.Exit.guard, 0);
      put(kHeddleExit | uses.count << 8);
      put(kHeddleNoPlace);
      put_address((Addr)s->Ist.Exit.dst->Ico.U64);
      for (UInt i = 0; i < uses.count; i++) put(uses.places[i]);
      return;
    default: return;
  }
}

static UInt block_end(const IRSB* in) {
  switch (in->jumpkind) {
    case Ijk_Call: return kHeddleEndsCall;
    case Ijk_Ret: return kHeddleEndsReturn;
    case Ijk_Sys_syscall: return kHeddleEndsSystemCall;
    default: return kHeddleEndsPlain;
  }
}

/* Modules in the order in which their code was met. */
static UInt module_of(Addr address) {
  enum { kMostModules = 1024 };
  static struct {
    const HChar* path;
    UWord bias;
  } modules[kMostModules];
  static UInt known;
  DebugInfo* info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), address);
  const HChar* path = info != NULL ? VG_(DebugInfo_get_filename)(info) : "";
  const UWord bias = info != NULL ? (UWord)VG_(DebugInfo_get_text_bias)(info) : 0;
  UInt i, length;
  for (i = 0; i < known; i++) {
    if (modules[i].bias == bias && VG_(strcmp)(modules[i].path, path) == 0) return i;
  }
  if (known == kMostModules) return 0;
  modules[known].path = VG_(strdup)("heddle.module", path);
  modules[known].bias = bias;
  length = VG_(strlen)(path);
  count = 0;
  put(6 + (length + 3) / 4);
  put(kHeddleModule);
  put(known);
  put_address(bias);
  put(length);
  for (i = 0; i < (length + 3) / 4; i++) {
    UInt word = 0;
    for (UInt b = 0; b < 4 && i * 4 + b < length; b++) word |= (UInt)(UChar)path[i * 4 + b] << (8 * b);
    put(word);
  }
  add_description(words, count);
  return known++;
}

/* Does the instruction move the stack pointer? Then it saves or restores a register. */
static Bool moves_stack(const IRSB* in, Int mark) {
  for (Int i = mark + 1; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++) {
    const IRStmt* s = in->stmts[i];
    if (s->tag == Ist_Put && is_stack_pointer(s->Ist.Put.offset, 8)) return True;
  }
  return False;
}

/* How many accesses the block has. Of the runtime's own code only what it stores is of interest. */
UInt describe_block(const IRSB* in, UInt number, Addr first, UInt code) {
  UInt accesses = 0, module;
  if (words == NULL) words = VG_(malloc)("heddle.describe", kMostWords * sizeof *words);
  Addr last = first;
  Bool leaves_copy;
  module = module_of(original_of(first));
  for (Int i = 0; i < in->stmts_used; i++) {
    if (in->stmts[i]->tag == Ist_IMark) last = in->stmts[i]->Ist.IMark.addr;
  }
  /* The call that a copy begins with leads to the runtime, and comes back to the copy. */
  leaves_copy = original_of(last) != last && in->jumpkind == Ijk_Call && in->next->tag != Iex_Const;
  count = passing = 0;
  overflow = False;
  VG_(memset)(on_stack, 0, in->tyenv->types_used < kMostTemps ? in->tyenv->types_used : kMostTemps);
  put(0);
  put(number);
  put(code);
  put(leaves_copy ? kHeddleEndsPlain : block_end(in));
  put_address(original_of(first));
  put_address(leaves_copy ? original_of(last) : in->next->tag == Iex_Const ? original_of((Addr)in->next->Iex.Const.con->Ico.U64) : 0);
  put(module);
  put(0);
  for (Int i = 0; i < in->stmts_used && !overflow; i++) {
    const IRStmt* s = in->stmts[i];
    if (s->tag == Ist_IMark) {
      passing = moves_stack(in, i) ? kHeddlePasses : 0;
      put(kHeddleAt);
      put(kHeddleNoPlace);
      put_address(original_of(s->Ist.IMark.addr));
    } else if (code != kHeddleRuntimeCode || s->tag == Ist_Store) {
      describe_statement(in, s, &accesses);
    } else if (s->tag == Ist_WrTmp) {
      /* Only whether it is an address of the stack. */
      const UInt words_before = count, accesses_before = accesses;
      describe_assignment(in, s, &accesses);
      count = words_before;
      accesses = accesses_before;
    }
  }
  /* A jump or a call through a register or memory. */
  if (in->next->tag == Iex_RdTmp && in->jumpkind != Ijk_Ret && !leaves_copy && code != kHeddleRuntimeCode) {
    Uses uses = no_uses();
    use(&uses, in->next, 0);
    put(kHeddleExit | uses.count << 8);
    put(kHeddleNoPlace);
    put_address(0);
    for (UInt i = 0; i < uses.count; i++) put(uses.places[i]);
  }
  words[0] = count;
  words[9] = accesses;
  add_description(words, count);
  return accesses;
}
