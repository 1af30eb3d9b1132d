/* What the instructions of a block access, from Valgrind's intermediate code. */
#include "libvex_guest_amd64.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "tool.h"
#include "wire/system_path.h"

ULong unknown_blocks;

enum { kAt_RDI = offsetof(VexGuestAMD64State, guest_RDI), kAt_RSI = offsetof(VexGuestAMD64State, guest_RSI) };
enum { kAt_RDX = offsetof(VexGuestAMD64State, guest_RDX), kAt_RSP = offsetof(VexGuestAMD64State, guest_RSP) };

static Bool begins(const HChar* text, const HChar* with) { return VG_(strncmp)(text, with, VG_(strlen)(with)) == 0; }

static const HChar* file_name(const HChar* path) {
  const HChar* slash = VG_(strrchr)(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* Parts of files that Valgrind finds no code in: the stubs of a linker. */
static Bool is_of_file(Addr address) {
  const NSegment* segment = VG_(am_find_nsegment)(address);
  return segment != NULL && segment->kind == SkFileC;
}

/* Hooks have a section of their own, which Valgrind does not count to the code of their file. */
static const HChar* file_of(Addr address) {
  const NSegment* segment = VG_(am_find_nsegment)(address);
  return segment != NULL && segment->kind == SkFileC ? VG_(am_get_filename)(segment) : NULL;
}

CodeClass code_class(Addr address) {
  static const HChar* const hidden[] = {"libc.so",  "libc-",    "ld-linux",    "ld-2",       "libpthread", "libm.so",   "libm-",
                                        "librt.so", "libdl.so", "libgcc_s.so", "libheddle-", "vgpreload_", "libresolv", "libnss_"};
  static DebugInfo* last;
  static CodeClass last_class;
  DebugInfo* module = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), address);
  const HChar* path;
  if (module == NULL) return is_of_file(address) ? kHiddenCode : kUnknownCode;
  if (module == last) return last_class;
  path = VG_(DebugInfo_get_filename)(module);
  last = module;
  last_class = kOwnCode;
  if (heddle_is_system_path(path)) last_class = VG_(strstr)(path, ".so") != NULL ? kLibraryCode : kOwnCode;
  for (UInt i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
    if (begins(file_name(path), hidden[i])) last_class = kHiddenCode;
  }
  return last_class;
}

Bool is_runtime_code(Addr address) {
  DebugInfo* module = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), address);
  const HChar* name = module != NULL ? VG_(DebugInfo_get_filename)(module) : file_of(address);
  name = name != NULL ? file_name(name) : "";
  return begins(name, "libheddle-") || begins(name, "vgpreload_") || begins(name, "ld-");
}

typedef struct {
  IRSB* out;
  Addr pc;
  CodeClass whose;
} Block;

static IRExpr* word(Block* b, Int at) {
  IRTemp temp = newIRTemp(b->out->tyenv, Ity_I64);
  addStmtToIRSB(b->out, IRStmt_WrTmp(temp, IRExpr_Get(at, Ity_I64)));
  return IRExpr_RdTmp(temp);
}

static IRExpr* computed(Block* b, IRType type, IRExpr* expression) {
  IRTemp temp = newIRTemp(b->out->tyenv, type);
  addStmtToIRSB(b->out, IRStmt_WrTmp(temp, expression));
  return IRExpr_RdTmp(temp);
}

/* A region that is this thread's alone, as the last access was, needs no call (stage I). */
static IRExpr* is_news(Block* b, IRExpr* address) {
  IRExpr* region =
      computed(b, Ity_I64, IRExpr_Binop(Iop_Shr64, address, IRExpr_Const(IRConst_U8(dependences_file != NULL ? 8 : region_bits))));
  IRExpr* known = computed(b, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, mkIRExpr_HWord((HWord)&ring.private_region)));
  return computed(b, Ity_I1, IRExpr_Binop(Iop_CmpNE64, region, known));
}

/* What is called at an access, and whether an access of the region that was accessed last needs no call. */
static IRDirty* call_for(IRExpr* address, IRExpr* pc, IRExpr* meta, IRExpr* sp, IRExpr* stored) {
  if (dependences_file != NULL)
    return unsafeIRDirty_0_N(0, "depend_access", VG_(fnptr_to_fnentry)(depend_access), mkIRExprVec_4(address, pc, meta, sp));
  if (stored == NULL) return unsafeIRDirty_0_N(0, "told_access", VG_(fnptr_to_fnentry)(told_access), mkIRExprVec_4(address, pc, meta, sp));
  return unsafeIRDirty_0_N(0, "told_word_store", VG_(fnptr_to_fnentry)(told_word_store), mkIRExprVec_5(address, pc, meta, sp, stored));
}
static Bool has_first_stage(Bool writes) { return dependences_file != NULL ? !naive_table && !writes : !keep_all; }

/* `guard`: whether the access is made; NULL: always. `stored`: of a store of eight bytes, what. */
static void add_access(Block* b, IRExpr* address, UWord size, IRExpr* meta, IRExpr* guard, IRExpr* stored, Bool writes) {
  IRDirty* call = call_for(address, mkIRExpr_HWord(b->pc), meta, word(b, kAt_RSP), stored);
  IRExpr* news = has_first_stage(writes) && size > 0 ? is_news(b, address) : NULL;
  if (guard != NULL) {
    IRExpr* made = computed(b, Ity_I64, IRExpr_Unop(Iop_1Uto64, guard));
    IRExpr* wanted = news != NULL ? computed(b, Ity_I64, IRExpr_Unop(Iop_1Uto64, news)) : mkIRExpr_HWord(1);
    IRExpr* both = computed(b, Ity_I64, IRExpr_Binop(Iop_And64, made, wanted));
    call->guard = computed(b, Ity_I1, IRExpr_Binop(Iop_CmpNE64, both, mkIRExpr_HWord(0)));
  } else if (news != NULL) {
    call->guard = news;
  }
  addStmtToIRSB(b->out, IRStmt_Dirty(call));
}

static UWord by_library(const Block* b) { return b->whose == kLibraryCode ? kByLibrary : 0; }

static void add_plain(Block* b, IRExpr* address, UWord size, UWord kind, IRExpr* guard) {
  add_access(b, address, size, mkIRExpr_HWord(size << 8 | kind | by_library(b)), guard, NULL, kind != kHeddleRead);
}

static IRExpr* equal(Block* b, IRExpr* x, IRExpr* y) {
  switch (typeOfIRExpr(b->out->tyenv, x)) {
    case Ity_I8: return computed(b, Ity_I1, IRExpr_Binop(Iop_CmpEQ8, x, y));
    case Ity_I16: return computed(b, Ity_I1, IRExpr_Binop(Iop_CmpEQ16, x, y));
    case Ity_I32: return computed(b, Ity_I1, IRExpr_Binop(Iop_CmpEQ32, x, y));
    default: return computed(b, Ity_I1, IRExpr_Binop(Iop_CmpEQ64, x, y));
  }
}

/* After the statement: did it exchange? */
static void add_exchange(Block* b, const IRCAS* cas) {
  UWord size = sizeofIRType(typeOfIRExpr(b->out->tyenv, cas->dataLo));
  IRExpr* same = equal(b, IRExpr_RdTmp(cas->oldLo), cas->expdLo);
  IRExpr* failed;
  if (cas->dataHi != NULL) {
    IRExpr* high = equal(b, IRExpr_RdTmp(cas->oldHi), cas->expdHi);
    IRExpr* both = computed(
        b, Ity_I64,
        IRExpr_Binop(Iop_And64, computed(b, Ity_I64, IRExpr_Unop(Iop_1Uto64, same)), computed(b, Ity_I64, IRExpr_Unop(Iop_1Uto64, high))));
    same = computed(b, Ity_I1, IRExpr_Binop(Iop_CmpNE64, both, mkIRExpr_HWord(0)));
    size *= 2;
  }
  failed = computed(b, Ity_I64,
                    IRExpr_Binop(Iop_Sub64, mkIRExpr_HWord(size << 8 | kHeddleAtomicFailed | by_library(b)),
                                 computed(b, Ity_I64, IRExpr_Unop(Iop_1Uto64, same))));
  tl_assert(kHeddleAtomic + 1 == kHeddleAtomicFailed);
  add_access(b, cas->addr, size, failed, NULL, NULL, True);
}

/* Does a later statement of the same instruction store where this one loads? */
static Bool is_updated(const IRSB* in, Int from, const IRExpr* address) {
  for (Int i = from + 1; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++) {
    const IRStmt* s = in->stmts[i];
    if (s->tag == Ist_Store && eqIRAtom(s->Ist.Store.addr, address)) return True;
  }
  return False;
}
static Bool was_loaded(const IRSB* in, Int from, const IRExpr* address) {
  for (Int i = from - 1; i >= 0 && in->stmts[i]->tag != Ist_IMark; i--) {
    const IRStmt* s = in->stmts[i];
    if (s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Load && eqIRAtom(s->Ist.WrTmp.data->Iex.Load.addr, address)) return True;
  }
  return False;
}

static void before_statement(Block* b, const IRSB* in, Int i) {
  const IRStmt* s = in->stmts[i];
  if (s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Load) {
    const IRExpr* load = s->Ist.WrTmp.data;
    if (!is_updated(in, i, load->Iex.Load.addr)) add_plain(b, load->Iex.Load.addr, sizeofIRType(load->Iex.Load.ty), kHeddleRead, NULL);
  } else if (s->tag == Ist_Store) {
    const UWord size = sizeofIRType(typeOfIRExpr(in->tyenv, s->Ist.Store.data));
    if (was_loaded(in, i, s->Ist.Store.addr)) {
      add_plain(b, s->Ist.Store.addr, size, kHeddleUpdate, NULL);
    } else if (typeOfIRExpr(in->tyenv, s->Ist.Store.data) == Ity_I64) {
      add_access(b, s->Ist.Store.addr, size, mkIRExpr_HWord(size << 8 | kHeddleWrite | by_library(b)), NULL, s->Ist.Store.data, True);
    } else {
      add_plain(b, s->Ist.Store.addr, size, kHeddleWrite, NULL);
    }
  } else if (s->tag == Ist_LoadG) {
    const IRLoadG* g = s->Ist.LoadG.details;
    IRType loaded, widened;
    typeOfIRLoadGOp(g->cvt, &widened, &loaded);
    add_plain(b, g->addr, sizeofIRType(loaded), kHeddleRead, g->guard);
  } else if (s->tag == Ist_StoreG) {
    const IRStoreG* g = s->Ist.StoreG.details;
    add_plain(b, g->addr, sizeofIRType(typeOfIRExpr(in->tyenv, g->data)), kHeddleWrite, g->guard);
  } else if (s->tag == Ist_Dirty && s->Ist.Dirty.details->mFx != Ifx_None) {
    const IRDirty* d = s->Ist.Dirty.details;
    add_plain(b, d->mAddr, d->mSize, d->mFx == Ifx_Read ? kHeddleRead : d->mFx == Ifx_Write ? kHeddleWrite : kHeddleUpdate, d->guard);
  } else if (s->tag == Ist_MBE && s->Ist.MBE.event == Imbe_Fence) {
    add_plain(b, mkIRExpr_HWord(0), 0, kHeddleFence, NULL);
  }
}

static void at_memory_function(Block* b, UWord kind) {
  IRExpr** arguments = mkIRExprVec_5(mkIRExpr_HWord(kind), word(b, kAt_RSP), word(b, kAt_RDI), word(b, kAt_RSI), word(b, kAt_RDX));
  addStmtToIRSB(b->out, IRStmt_Dirty(unsafeIRDirty_0_N(0, "told_memory_function", VG_(fnptr_to_fnentry)(told_memory_function), arguments)));
}

static void at_call(Block* b, Addr return_address) {
  IRExpr** arguments = mkIRExprVec_2(mkIRExpr_HWord(return_address), word(b, kAt_RSP));
  addStmtToIRSB(b->out, IRStmt_Dirty(unsafeIRDirty_0_N(0, "told_call", VG_(fnptr_to_fnentry)(told_call), arguments)));
}

IRSB* instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout, const VexGuestExtents* extents,
                 const VexArchInfo* info, IRType guest_word, IRType host_word) {
  Block b;
  Addr after = 0;
  (void)closure, (void)layout, (void)info, (void)guest_word, (void)host_word;
  b.whose = code_class(extents->base[0]);
  if (b.whose == kUnknownCode) unknown_blocks++;
  if (b.whose == kUnknownCode && ring.on) ring.foreign++;
  b.out = deepCopyIRSBExceptStmts(in);
  b.pc = extents->base[0];
  for (Int i = 0; i < in->stmts_used; i++) {
    IRStmt* s = in->stmts[i];
    const Bool watched = b.whose == kOwnCode || b.whose == kLibraryCode;
    if (watched && s->tag != Ist_IMark) before_statement(&b, in, i);
    addStmtToIRSB(b.out, s);
    if (s->tag == Ist_IMark) {
      UWord kind;
      b.pc = s->Ist.IMark.addr;
      after = b.pc + s->Ist.IMark.len;
      if (b.whose == kHiddenCode && is_memory_function(b.pc, &kind)) at_memory_function(&b, kind);
    }
    if (watched && s->tag == Ist_CAS) add_exchange(&b, s->Ist.CAS.details);
  }
  if (in->jumpkind == Ijk_Call && (b.whose == kOwnCode || b.whose == kLibraryCode)) at_call(&b, after);
  return b.out;
}
