/* heddle: the Valgrind tool that shows Heddle the memory accesses of a program that is not built for it. It decides nothing: what happens
   before what, and what is a race, the runtime in the program knows. */
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_options.h"
#include "pub_tool_redir.h"
#include "tool.h"
#include "trace.h"
#include "valgrind.h"

static Bool prints = False;

static Bool option(const HChar* argument) {
  if (VG_BINT_CLO(argument, "--region-bits", region_bits, 6, 16)) return True;
  if (VG_BOOL_CLO(argument, "--all-accesses", keep_all)) return True;
  if (VG_STR_CLO(argument, "--regions", regions_file)) return True;
  if (VG_STR_CLO(argument, "--dependences", dependences_file)) return True;
  if (VG_BOOL_CLO(argument, "--naive", naive_table)) return True;
  if (VG_STR_CLO(argument, "--trace", trace_file)) return True;
  return VG_BOOL_CLO(argument, "--print-counts", prints);
}

static void usage(void) {
  VG_(printf)("    --region-bits=<6..16>     a region of memory is two to the power of this many bytes [8]\n");
  VG_(printf)("    --regions=<file>          regions known to be shared; those found are added\n");
  VG_(printf)("    --all-accesses=no|yes     tell of accesses to private memory, too [no]\n");
  VG_(printf)("    --dependences=<file>      write who reads what whom wrote, and tell nobody of accesses\n");
  VG_(printf)("    --naive=no|yes            keep the last writer of all memory for that [no]\n");
  VG_(printf)("    --trace=<file>            write the blocks that are executed, and tell nobody of accesses\n");
  VG_(printf)("    --print-counts=no|yes     print how many accesses came to which stage [no]\n");
}
static void debug_usage(void) {}

static void begin_run(void) {
  if (trace_file != NULL) return;
  filter_begin_run();
  if (dependences_file != NULL) dependences_begin();
}

static Bool request(ThreadId thread, UWord* arguments, UWord* result) {
  (void)thread;
  if (!VG_IS_TOOL_USERREQ('H', 'D', arguments[0])) return False;
  *result = 0;
  switch (arguments[0] & 0xFFFF) {
    case kHeddleAsk:
      if (arguments[1] == kHeddleRingVersion) *result = (UWord)&ring;
      break;
    case kHeddleFunction:
      if (trace_file != NULL) break;
      add_memory_function(arguments[1], arguments[2]);
      break;
    case kHeddleTouch:
      if (trace_file != NULL) break;
      if (dependences_file != NULL) {
        depend_access(arguments[1], 0, arguments[2] << 8 | (arguments[3] != 0 ? kHeddleWrite : kHeddleRead), 0);
      } else {
        touched_by_runtime(arguments[1], arguments[2]);
      }
      break;
    case kHeddleForget:
      if (dependences_file != NULL) dependences_forget(arguments[1], arguments[2]);
      break;
    case kHeddleAtomicSite: add_atomic_site(arguments[1]); break;
    case kHeddleCaller:
      if (trace_file == NULL && dependences_file == NULL) *result = calling_program(arguments[1]);
      break;
    case kHeddleBegin: begin_run(); break;
    case kHeddleCopy: add_copy(arguments[1], arguments[2], arguments[3]); break;
    default: return False;
  }
  return True;
}

static IRSB* instrument_any(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout, const VexGuestExtents* extents,
                            const VexArchInfo* info, IRType guest_word, IRType host_word) {
  return (trace_file != NULL ? instrument_for_trace : instrument)(closure, in, layout, extents, info, guest_word, host_word);
}

static void begin(void) {
  if (trace_file != NULL) trace_begin();
  begin_run();
}

static void end(Int code) {
  (void)code;
  if (prints && dependences_file == NULL) filter_print();
  if (prints && dependences_file != NULL) dependences_print();
}

static void describe(void) {
  VG_(details_name)("heddle");
  VG_(details_version)("1");
  VG_(details_description)("shows memory accesses to Heddle");
  VG_(details_copyright_author)("GNU GPL version 2 or later, as Valgrind itself.");
  VG_(details_bug_reports_to)("the Heddle project");
  VG_(basic_tool_funcs)(begin, instrument_any, end);
  VG_(needs_command_line_options)(option, usage, debug_usage);
  VG_(needs_client_requests)(request);
  VG_(track_post_mem_write)(trace_kernel_write);
  VG_(needs_syscall_wrapper)(files_before_call, files_after_call);
  /* A call must end its block: what was called from where is looked at there. */
  VG_(clo_vex_control).guest_chase = False;
}

VG_DETERMINE_INTERFACE_VERSION(describe)
