/* Which accesses are worth a record: those of memory that more than one thread has touched, in three stages of growing cost (Tallam et al.
   2007, Fig. 3, here over 64-bit addresses).
     I    the same region as the last access, which is this thread's alone: asked in the translated code, without a call
     II   the map of regions, with the first thread of each and whether there was another
     III  the last accesses told: the same one in the same interval says nothing new
   What a thread did to a region before another came is not known here, unless it was among the first accesses of the run, which are all told.
   So the shared regions of a run are kept in a file, and the run is made again: then all accesses to them are told from its beginning. */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"
#include "tool.h"

/* Of the core, which has it for its own files; in no header of the package. */
extern Int VG_(safe_fd)(Int old_descriptor);

struct HeddleRing ring;
Int region_bits = 8;
Bool keep_all = False;
const HChar* regions_file;

enum { kRecords = 1 << 22, kLeafBits = 14, kRootBits = 16, kTold = 1 << 18 };

/* The map of regions: a root by hash of the upper address bits, leaves of 2^14 regions. An owner is a thread's index + 1, with a mark where
   an access of it was not told. */
enum { kNobody = 0, kWithheld = 0x8000, kShared = 0xFFFF };
typedef struct {
  UWord next, key;
  UShort owner[1 << kLeafBits];
} Leaf;
static VgHashTable* leaves;
static Leaf* last_leaf;

typedef struct {
  Addr address;
  UWord pc;
  UWord interval;
  UWord size_and_kind;
} Told;
static Told* told;

/* So many accesses to private memory are told all the same: of a short run nothing is lost, and it need not be made again. */
enum { kToldAnyway = 1 << 19 };
static ULong told_anyway;

static ULong second_stage, third_stage, records_put, shared_regions;
static Int regions_descriptor = -1;

void put_record(UWord kind, Addr address, UWord pc, UWord size) {
  if (ring.count >= ring.capacity) {
    ring.lost++;
    return;
  }
  struct HeddleAccess* record = &ring.records[ring.count];
  record->address = address;
  record->pc = pc;
  record->size = size;
  record->kind = kind;
  ring.count++;
  records_put++;
}

static UShort* owner_of(UWord region) {
  UWord key = region >> kLeafBits;
  Leaf* leaf = last_leaf;
  if (leaf == NULL || leaf->key != key) {
    leaf = VG_(HT_lookup)(leaves, key);
    if (leaf == NULL) {
      leaf = VG_(calloc)("heddle.leaf", 1, sizeof *leaf);
      leaf->key = key;
      VG_(HT_add_node)(leaves, leaf);
    }
    last_leaf = leaf;
  }
  return &leaf->owner[region & ((1 << kLeafBits) - 1)];
}

static void read_shared_regions(void) {
  UWord regions[512];
  Int bytes;
  Int descriptor;
  SysRes opened = VG_(open)(regions_file, VKI_O_RDWR | VKI_O_APPEND, 0);
  if (sr_isError(opened)) return;
  /* Above the program's: it may close or name the low ones. */
  descriptor = VG_(safe_fd)(sr_Res(opened));
  while ((bytes = VG_(read)(descriptor, regions, sizeof regions)) > 0) {
    for (Int i = 0; i < bytes / (Int)sizeof regions[0]; i++) *owner_of(regions[i] & ~kHeddleNothingLost) = kShared;
  }
  regions_descriptor = descriptor;
}

void filter_begin_run(void) {
  told_anyway = 0;
  if (leaves == NULL) {
    leaves = VG_(HT_construct)("heddle.regions");
    told = VG_(calloc)("heddle.told", kTold, sizeof *told);
    ring.records = VG_(malloc)("heddle.records", kRecords * sizeof *ring.records);
    ring.capacity = kRecords;
    ring.private_region = ~0ull;
  }
  if (regions_file != NULL && regions_descriptor >= 0) VG_(close)(regions_descriptor);
  if (regions_file != NULL) read_shared_regions();
}

static void becomes_shared(UShort* owner, UWord region) {
  UWord row = (*owner & kWithheld) != 0 ? region : region | kHeddleNothingLost;
  *owner = kShared;
  shared_regions++;
  if (regions_descriptor >= 0) VG_(write)(regions_descriptor, &row, sizeof row);
}

/* Is the region this thread's alone? `is_told`: the access is told even then. */
static Bool is_private(UWord region, Bool is_told) {
  UShort* owner = owner_of(region);
  UShort me = ring.thread + 1;
  if (*owner == kShared) return False;
  if (*owner == kNobody) *owner = me;
  if ((*owner & ~kWithheld) != me) {
    becomes_shared(owner, region);
    return False;
  }
  if (!is_told) *owner |= kWithheld;
  return True;
}

/* What may synchronise is told every time, and what follows is told anew. A few others with them: these are filters of bits, not sets. */
enum { kFilterBits = 1 << 16 };
static UChar atomic_words[kFilterBits / 8], atomic_sites[kFilterBits / 8];
static UWord filter_place(UWord value) { return (value * 0x9E3779B97F4A7C15ull) >> 48; }
static void put_in(UChar* filter, UWord value) { filter[filter_place(value) / 8] |= 1 << filter_place(value) % 8; }
static Bool may_hold(const UChar* filter, UWord value) { return (filter[filter_place(value) / 8] >> filter_place(value) % 8 & 1) != 0; }

void add_atomic_site(Addr pc) { put_in(atomic_sites, pc); }

static Bool may_synchronise(Addr address, UWord pc, UWord kind) {
  if (kind == kHeddleAtomic || kind == kHeddleAtomicFailed) {
    put_in(atomic_words, address >> 2);
    return True;
  }
  return may_hold(atomic_sites, pc) || may_hold(atomic_words, address >> 2);
}

static Bool is_last_record(Addr address, UWord pc, UWord kind) {
  const struct HeddleAccess* last = ring.count > 0 && ring.count < ring.capacity ? &ring.records[ring.count - 1] : NULL;
  return last != NULL && last->address == address && last->pc == pc && last->kind == kind;
}

static void tell_synchronisation(Addr address, UWord pc, UWord size_and_kind, Addr stack_pointer) {
  UWord kind = size_and_kind & 0x7F;
  if ((size_and_kind & kByLibrary) != 0) pc = calling_program(stack_pointer);
  if (pc == 0) return;
  tell_calls(stack_pointer);
  /* A loop that waits. */
  if (kind == kHeddleRead && is_last_record(address, pc, kind)) return;
  put_record(kind, address, pc, size_and_kind >> 8);
  ring.interval++;
}

static void tell(Addr address, UWord pc, UWord size_and_kind, Addr stack_pointer) {
  UWord hash = (address * 0x9E3779B97F4A7C15ull) ^ (pc * 0xC2B2AE3D27D4EB4Full);
  Told* slot = &told[(hash >> 40) % kTold];
  third_stage++;
  if (may_synchronise(address, pc, size_and_kind & 0x7F)) {
    tell_synchronisation(address, pc, size_and_kind, stack_pointer);
    return;
  }
  if (slot->address == address && slot->pc == pc && slot->interval == ring.interval && slot->size_and_kind == size_and_kind) return;
  slot->address = address;
  slot->pc = pc;
  slot->interval = ring.interval;
  slot->size_and_kind = size_and_kind;
  if ((size_and_kind & kByLibrary) != 0) pc = calling_program(stack_pointer);
  if (pc == 0) return;
  tell_calls(stack_pointer);
  put_record(size_and_kind & 0x7F, address, pc, size_and_kind >> 8);
}

void told_access(Addr address, UWord pc, UWord size_and_kind, Addr stack_pointer) {
  UWord size = size_and_kind >> 8;
  UWord region = address >> region_bits;
  UWord last = (address + (size > 0 ? size - 1 : 0)) >> region_bits;
  if (!ring.on) return;
  if ((size_and_kind & 0x7F) == kHeddleFence) {
    put_record(kHeddleFence, 0, pc, 0);
    return;
  }
  if (!keep_all) {
    Bool anyway = told_anyway < kToldAnyway;
    Bool private_all = is_private(region, anyway);
    second_stage++;
    for (UWord next = region + 1; next <= last; next++) private_all &= is_private(next, anyway);
    ring.private_region = private_all && !anyway && last == region ? region : ~0ull;
    /* Which addresses locked instructions touch has to be known of all of them. */
    if (private_all && !anyway) return;
    if (private_all) told_anyway++;
  }
  tell(address, pc, size_and_kind, stack_pointer);
}

void touched_by_runtime(Addr address, UWord size) {
  enum { kMost = 1 << 16 };
  UWord end = address + (size < kMost ? size : kMost);
  if (!ring.on || keep_all || size == 0) return;
  for (UWord region = address >> region_bits; region <= (end - 1) >> region_bits; region++) is_private(region, True);
  ring.private_region = ~0ull;
}

/* The first word of an object with virtual functions: a constructor or destructor writes it, often what is there already. That is no write of
   the program's source. */
static Bool is_table_again(Addr address, ULong value) {
  const NSegment* segment;
  if (*(const ULong*)address != value || value == 0) return False;
  segment = VG_(am_find_nsegment)(value);
  return segment != NULL && segment->kind == SkFileC;
}

void told_word_store(Addr address, UWord pc, UWord size_and_kind, Addr stack_pointer, ULong value) {
  if (!ring.on) return;
  if (is_table_again(address, value)) size_and_kind = (size_and_kind & ~(UWord)0x7F) | kHeddleRead;
  told_access(address, pc, size_and_kind, stack_pointer);
}

void filter_print(void) {
  VG_(umsg)("regions of %d bytes: %llu became shared\n", 1 << region_bits, shared_regions);
  VG_(umsg)
  ("accesses that came to stage II %llu, to stage III %llu; records %llu, lost %llu\n", second_stage, third_stage, records_put,
   (ULong)ring.lost);
  VG_(umsg)("blocks of code without a file: %llu\n", unknown_blocks);
}
