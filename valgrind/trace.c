/* Which blocks ran, with the addresses and values of their accesses. A block costs one call, which makes room for its record; its accesses are
   then stored there by the translated code itself. The file is shared memory: what was written is there however the program ends. */
#include "trace.h"
#include "libvex_guest_amd64.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_vki.h"
#include "tool.h"

/* Of the core; in no header of the package. */
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd, Off64T offset);

const HChar* trace_file;

static struct HeddleBlockTrace* head;
static UInt* descriptions;
static ULong* chunk;
static UInt used;
static UWord last_interval;
static UInt next_number = kHeddleFirstBlock;
/* Where the stack pointer was in the runtime's last block: what a library executes below that, the runtime called. 0: not in the runtime. A
   thread always goes on in the runtime's code, so that one word serves all. */
static UWord inside_below;
static ULong nowhere[4096]; /* where blocks go that are not kept */

void trace_begin(void) {
  SysRes opened = VG_(open)(trace_file, VKI_O_RDWR, 0), mapped;
  if (head != NULL) return;
  if (sr_isError(opened)) return;
  mapped = VG_(am_shared_mmap_file_float_valgrind)((SizeT)VG_(fsize)(sr_Res(opened)), VKI_PROT_READ | VKI_PROT_WRITE, sr_Res(opened), 0);
  VG_(close)(sr_Res(opened));
  if (sr_isError(mapped)) return;
  head = (struct HeddleBlockTrace*)sr_Res(mapped);
  if (head->version != kHeddleTraceVersion) {
    head = NULL;
    return;
  }
  descriptions = (UInt*)((UChar*)head + head->description_at);
}

void add_description(const UInt* description, UInt words) {
  if (head == NULL) return;
  if (head->description_words + words > head->description_capacity) {
    head->lost_descriptions++;
    return;
  }
  VG_(memcpy)(descriptions + head->description_words, description, words * sizeof *description);
  head->description_words += words;
}

static void begin_chunk(void) {
  chunk = (ULong*)((UChar*)head + head->chunks_at) + (head->chunks % head->chunk_capacity) * kHeddleChunkWords;
  used = kHeddleChunkHeader;
  chunk[0] = used;
  chunk[1] = head->chunks;
  head->chunks++;
}

static ULong* room(UInt words) {
  ULong* at;
  if (chunk == NULL || used + words > kHeddleChunkWords) begin_chunk();
  at = chunk + used;
  used += words;
  chunk[0] = used;
  return at;
}

static void put_step_record(void) {
  ULong* at = room(2);
  last_interval = ring.interval;
  at[0] = (ULong)kHeddleStepRecord << 16 | (ring.thread & 0xFFFF);
  at[1] = ring.interval;
}

/* Before each block: where its accesses go. */
static VG_REGPARM(3) ULong* trace_block(UWord number, UWord accesses, UWord stack_pointer) {
  ULong* at;
  if (stack_pointer >= inside_below) inside_below = 0;
  if (head == NULL) return nowhere;
  if (ring.interval != last_interval) put_step_record();
  at = room(1 + 2 * accesses);
  head->blocks++;
  head->accesses += accesses;
  at[0] = number << 16 | (ring.thread & 0xFFFF) | (inside_below != 0 ? HEDDLE_INSIDE : 0);
  for (UWord i = 0; i < accesses; i++) at[1 + 2 * i] = 0;
  return at + 1;
}

void trace_kernel_write(CorePart part, ThreadId thread, Addr address, SizeT size) {
  ULong* at;
  (void)thread;
  if (head == NULL || part != Vg_CoreSysCall || size == 0) return;
  at = room(3);
  at[0] = (ULong)kHeddleWrittenRecord << 16 | (ring.thread & 0xFFFF);
  at[1] = address;
  at[2] = size;
}

typedef struct {
  IRSB* out;
  IRExpr* record;
  UInt next;
} Writer;

static IRExpr* computed(Writer* w, IRType type, IRExpr* e) {
  IRTemp temp = newIRTemp(w->out->tyenv, type);
  addStmtToIRSB(w->out, IRStmt_WrTmp(temp, e));
  return IRExpr_RdTmp(temp);
}

static void keep(Writer* w, UInt word, IRExpr* value) {
  IRExpr* at = computed(w, Ity_I64, IRExpr_Binop(Iop_Add64, w->record, mkIRExpr_HWord(word * 8)));
  addStmtToIRSB(w->out, IRStmt_Store(Iend_LE, at, value));
}

/* Up to eight bytes of a value, as a word. */
static IRExpr* as_word(Writer* w, IRExpr* value) {
  switch (typeOfIRExpr(w->out->tyenv, value)) {
    case Ity_I1: return computed(w, Ity_I64, IRExpr_Unop(Iop_1Uto64, value));
    case Ity_I8: return computed(w, Ity_I64, IRExpr_Unop(Iop_8Uto64, value));
    case Ity_I16: return computed(w, Ity_I64, IRExpr_Unop(Iop_16Uto64, value));
    case Ity_I32: return computed(w, Ity_I64, IRExpr_Unop(Iop_32Uto64, value));
    case Ity_I64: return value;
    case Ity_F32: return computed(w, Ity_I64, IRExpr_Unop(Iop_32Uto64, computed(w, Ity_I32, IRExpr_Unop(Iop_ReinterpF32asI32, value))));
    case Ity_F64: return computed(w, Ity_I64, IRExpr_Unop(Iop_ReinterpF64asI64, value));
    case Ity_V128: return computed(w, Ity_I64, IRExpr_Unop(Iop_V128to64, value));
    case Ity_V256: return computed(w, Ity_I64, IRExpr_Unop(Iop_V256to64_0, value));
    default: return mkIRExpr_HWord(0);
  }
}

static IRExpr* if_made(Writer* w, IRExpr* guard, IRExpr* address) {
  return computed(w, Ity_I64, IRExpr_ITE(guard, address, mkIRExpr_HWord(0)));
}

/* The address, before it is accessed: an access that fails is the last one that is there. */
static void before_statement(Writer* w, IRStmt* s, Bool stores_only) {
  const UInt at = w->next * 2;
  if (s->tag == Ist_Store) {
    keep(w, at, s->Ist.Store.addr);
    keep(w, at + 1, as_word(w, s->Ist.Store.data));
  } else if (stores_only) {
    return;
  } else if (s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Load) {
    keep(w, at, s->Ist.WrTmp.data->Iex.Load.addr);
  } else if (s->tag == Ist_LoadG) {
    keep(w, at, if_made(w, s->Ist.LoadG.details->guard, s->Ist.LoadG.details->addr));
  } else if (s->tag == Ist_StoreG) {
    keep(w, at, if_made(w, s->Ist.StoreG.details->guard, s->Ist.StoreG.details->addr));
    keep(w, at + 1, as_word(w, s->Ist.StoreG.details->data));
  } else if (s->tag == Ist_CAS) {
    keep(w, at, s->Ist.CAS.details->addr);
  } else if (s->tag == Ist_Dirty && s->Ist.Dirty.details->mFx != Ifx_None) {
    keep(w, at, if_made(w, s->Ist.Dirty.details->guard, s->Ist.Dirty.details->mAddr));
    keep(w, at + 1, mkIRExpr_HWord(0));
  }
}

static IRExpr* equal_words(Writer* w, IRExpr* x, IRExpr* y) {
  return computed(w, Ity_I64, IRExpr_Unop(Iop_1Uto64, computed(w, Ity_I1, IRExpr_Binop(Iop_CmpEQ64, as_word(w, x), as_word(w, y)))));
}

/* The value, once it is there; and on with the number of the next access. */
static void after_statement(Writer* w, IRStmt* s, Bool stores_only) {
  const UInt at = w->next * 2;
  if (s->tag == Ist_Store) {
    w->next++;
  } else if (stores_only) {
    return;
  } else if (s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Load) {
    keep(w, at + 1, as_word(w, IRExpr_RdTmp(s->Ist.WrTmp.tmp)));
    w->next++;
  } else if (s->tag == Ist_LoadG) {
    keep(w, at + 1, as_word(w, IRExpr_RdTmp(s->Ist.LoadG.details->dst)));
    w->next++;
  } else if (s->tag == Ist_StoreG || (s->tag == Ist_Dirty && s->Ist.Dirty.details->mFx != Ifx_None)) {
    w->next++;
  } else if (s->tag == Ist_CAS) {
    const IRCAS* cas = s->Ist.CAS.details;
    IRExpr* same = equal_words(w, IRExpr_RdTmp(cas->oldLo), cas->expdLo);
    if (cas->dataHi != NULL)
      same = computed(w, Ity_I64, IRExpr_Binop(Iop_And64, same, equal_words(w, IRExpr_RdTmp(cas->oldHi), cas->expdHi)));
    keep(w, at + 1, as_word(w, IRExpr_RdTmp(cas->oldLo)));
    keep(w, at + 2, same);
    keep(w, at + 3, as_word(w, cas->dataLo));
    w->next += 2;
  }
}

static UInt code_of(Addr first) {
  switch (code_class(first)) {
    case kOwnCode: return kHeddleProgramCode;
    case kHiddenCode: return is_runtime_code(first) ? kHeddleRuntimeCode : kHeddleLibraryCode;
    case kLibraryCode:
    case kUnknownCode: return kHeddleLibraryCode;
  }
  return kHeddleLibraryCode;
}

/* The program's own code is never inside; the runtime's always is. */
static IRExpr* stack_pointer_for(Writer* w, UInt code) {
  IRExpr* sp = computed(w, Ity_I64, IRExpr_Get(offsetof(VexGuestAMD64State, guest_RSP), Ity_I64));
  if (code == kHeddleRuntimeCode) addStmtToIRSB(w->out, IRStmt_Store(Iend_LE, mkIRExpr_HWord((HWord)&inside_below), sp));
  return code == kHeddleLibraryCode ? sp : mkIRExpr_HWord(code == kHeddleRuntimeCode ? 0 : ~0ull);
}

static Bool stores_anything(const IRSB* in) {
  for (Int i = 0; i < in->stmts_used; i++) {
    if (in->stmts[i]->tag == Ist_Store) return True;
  }
  return False;
}

IRSB* instrument_for_trace(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout, const VexGuestExtents* extents,
                           const VexArchInfo* info, IRType guest_word, IRType host_word) {
  Writer w;
  const UInt code = code_of(original_of(extents->base[0]));
  const UInt number = next_number;
  UInt accesses;
  IRTemp record;
  Int i = 0;
  (void)closure, (void)layout, (void)info, (void)guest_word, (void)host_word;
  IRExpr* sp;
  if (head == NULL) return in;
  if (code == kHeddleRuntimeCode && !stores_anything(in)) {
    w.out = deepCopyIRSBExceptStmts(in);
    stack_pointer_for(&w, code);
    for (; i < in->stmts_used; i++) addStmtToIRSB(w.out, in->stmts[i]);
    return w.out;
  }
  accesses = describe_block(in, number, extents->base[0], code);
  if (1 + 2 * accesses > sizeof nowhere / sizeof nowhere[0]) return in;
  next_number++;
  w.out = deepCopyIRSBExceptStmts(in);
  w.next = 0;
  for (; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++) addStmtToIRSB(w.out, in->stmts[i]);
  sp = stack_pointer_for(&w, code);
  record = newIRTemp(w.out->tyenv, Ity_I64);
  addStmtToIRSB(w.out, IRStmt_Dirty(unsafeIRDirty_1_N(record, 3, "trace_block", VG_(fnptr_to_fnentry)(trace_block),
                                                      mkIRExprVec_3(mkIRExpr_HWord(number), mkIRExpr_HWord(accesses), sp))));
  w.record = IRExpr_RdTmp(record);
  for (; i < in->stmts_used; i++) {
    before_statement(&w, in->stmts[i], code == kHeddleRuntimeCode);
    addStmtToIRSB(w.out, in->stmts[i]);
    after_statement(&w, in->stmts[i], code == kHeddleRuntimeCode);
  }
  tl_assert(w.next == accesses);
  return w.out;
}
