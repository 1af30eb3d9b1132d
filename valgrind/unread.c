/* What Valgrind would do for every program that it starts and this tool has no use for: source lines and unwinding rules of all modules, which
   take more time than a short program, and its checks of its own intermediate code. The linker puts these in their place (CMakeLists.txt). */
#include "libvex_ir.h"
#include "pub_tool_basics.h"

void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void* module);
void __wrap_vgModuleLocal_read_callframe_info_dwarf3(void* module);
void __wrap_sanityCheckIRSB(const IRSB* block, const HChar* caller, Bool is_flat, IRType word);

void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void* module) { (void)module; }
void __wrap_vgModuleLocal_read_callframe_info_dwarf3(void* module) { (void)module; }
void __wrap_sanityCheckIRSB(const IRSB* block, const HChar* caller, Bool is_flat, IRType word) {
  (void)block, (void)caller, (void)is_flat, (void)word;
}
