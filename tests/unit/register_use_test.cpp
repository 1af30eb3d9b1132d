// Which values that an exchange leaves in a register are used, and how the exchange is then taken: as a store, or as a change of what was there.
#include "symbols/register_use.h"

#include <gtest/gtest.h>
#include <link.h>

#include "symbols/displace.h"

// Functions of this very program, found by the address of their exchange.
#define HEDDLE_FUNCTION(name, body)                                                                                                        \
  asm(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n.cfi_startproc\n" body "\n.cfi_endproc\n.size " #name ", .-" #name \
      "\n");                                                                                                                               \
  extern "C" void name()

HEDDLE_FUNCTION(replaced, "xchgl %eax, (%rdi)\n movl $2, %eax\n xchgl %eax, (%rdi)\n xorl %eax, %eax\n ret");
HEDDLE_FUNCTION(returned, "xchgl %eax, (%rdi)\n ret");
HEDDLE_FUNCTION(scratch, "xchgl %edx, (%rdi)\n xorl %eax, %eax\n movl %eax, %edx\n ret");
HEDDLE_FUNCTION(tested, "xchgl %eax, (%rdi)\n testl %eax, %eax\n jne tested\n ret");
HEDDLE_FUNCTION(address, "xchgq %rcx, (%rdi)\n movl (%rcx), %eax\n ret");
HEDDLE_FUNCTION(computed, "xchgq %rcx, (%rdi)\n leaq 1(%rcx), %rcx\n ret");
HEDDLE_FUNCTION(in_part, "xchgl %eax, (%rdi)\n movb $1, %al\n movl %eax, %ecx\n ret");
HEDDLE_FUNCTION(perhaps, "xchgl %ecx, (%rdi)\n testl %esi, %esi\n cmovel %esi, %ecx\n movl %ecx, %eax\n ret");
HEDDLE_FUNCTION(one_way, "xchgl %eax, (%rdi)\n testl %esi, %esi\n je 1f\n ret\n1: xorl %eax, %eax\n ret");
HEDDLE_FUNCTION(both_ways, "xchgl %eax, (%rdi)\n testl %esi, %esi\n je 1f\n movl $1, %eax\n ret\n1: xorl %eax, %eax\n ret");
HEDDLE_FUNCTION(before_call, "xchgl %eax, (%rdi)\n subq $8, %rsp\n call returned\n addq $8, %rsp\n ret");
HEDDLE_FUNCTION(argument, "xchgl %esi, (%rdi)\n subq $8, %rsp\n call returned\n addq $8, %rsp\n ret");
HEDDLE_FUNCTION(kept, "xchgl %ebx, (%rdi)\n subq $8, %rsp\n call returned\n addq $8, %rsp\n ret");
HEDDLE_FUNCTION(last_place, "xchgl %eax, (%rdi)\n jmp returned");
HEDDLE_FUNCTION(fills_space, "nopw 0(%rax,%rax)\n ret");
HEDDLE_FUNCTION(hints, "prefetcht0 (%rdi)\n ret");
HEDDLE_FUNCTION(hints_at_global, "prefetchw replaced(%rip)\n ret");
HEDDLE_FUNCTION(masked, "vpmaskmovd (%rdi), %ymm0, %ymm1\n ret");
HEDDLE_FUNCTION(loads, "movl (%rdi), %eax\n ret");
HEDDLE_FUNCTION(unknown_jump, "xchgl %ecx, (%rdi)\n jmp *%rax");

namespace heddle::test {
namespace {

// Where this program is loaded: the first of the list.
uintptr_t own_bias() {
  uintptr_t bias = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        *static_cast<uintptr_t*>(data) = info->dlpi_addr;
        return 1;
      },
      &bias);
  return bias;
}

// The first instruction of the function.
bool may_access(void (*function)()) {
  static const ModuleCode code("/proc/self/exe");
  const auto decoded = code.function(reinterpret_cast<uintptr_t>(function) - own_bias());
  return decoded && may_be_shared(decoded->instructions.front());
}

// What the first instruction of the function is as a point.
const char* taken_for(void (*function)()) {
  static const ModuleCode code("/proc/self/exe");
  const uint64_t offset = reinterpret_cast<uintptr_t>(function) - own_bias();
  const auto decoded = code.function(offset);
  if (!decoded) return "no function";
  const auto point = access_point(code, *decoded, offset, true);
  if (!point || point->operand.atomic == 0 || point->operand.writes == 0) return "no exchange";
  EXPECT_EQ(point->operand.exchange == CodePoint::Exchange::kNone, point->operand.reads == 0);
  return point->operand.reads == 0 ? "store" : "update";
}

TEST(RegisterUse, AnExchangeOfWhichNobodyReadsTheOldValueIsAStore) {
  for (const auto function : {replaced, scratch, both_ways, before_call}) EXPECT_STREQ(taken_for(function), "store");
}

TEST(RegisterUse, WhatMayBeUsedIsRead) {
  for (const auto function : {returned, tested, address, computed, in_part, perhaps, one_way, argument, kept, last_place, unknown_jump})
    EXPECT_STREQ(taken_for(function), "update");
}

// Whoever read what lies there could fault where the program does not.
TEST(RegisterUse, AnAddressThatIsOnlyNamedIsNotAccessed) {
  EXPECT_TRUE(may_access(loads));
  for (const auto function : {fills_space, hints, hints_at_global, masked}) EXPECT_FALSE(may_access(function));
}

}  // namespace
}  // namespace heddle::test
