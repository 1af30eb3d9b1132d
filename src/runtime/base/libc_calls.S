// A stub for each function of libc_calls.def, under the name that the linker's --wrap or libc_names.h gives to our calls of it. Its slot
// leads to the C library's own function once that is known.
#define HEDDLE_LIBC(name) HEDDLE_STUB_OF(name, __wrap_##name)
#define HEDDLE_LIBC_TEXT(name) HEDDLE_STUB_OF(name, heddle_libc_##name)
#define HEDDLE_STUB_OF(name, stub)            \
  .pushsection .rodata;                       \
.Ltext_##name:                                \
  .asciz #name;                               \
  .popsection;                                \
  .pushsection .data;                         \
  .balign 8;                                  \
  .globl heddle_slot_##name;                  \
  .hidden heddle_slot_##name;                 \
heddle_slot_##name:                           \
  .quad .Lbind_##name;                        \
  .popsection;                                \
  .globl stub;                                \
  .hidden stub;                               \
  .type stub, @function;                      \
stub:                                         \
  jmp *heddle_slot_##name(%rip);              \
.Lbind_##name:                                \
  leaq .Ltext_##name(%rip), %r11;             \
  leaq heddle_slot_##name(%rip), %r10;        \
  jmp .Lbind;                                 \
  .size stub, . - stub;

  .text
// The arguments are those of the call under way; r10: the slot, r11: the name.
  .type .Lbind, @function
.Lbind:
  push %rax
  push %rdi
  push %rsi
  push %rdx
  push %rcx
  push %r8
  push %r9
  movq %r11, %rdi
  movq %r10, %rsi
  call heddle_bind_libc
  movq %rax, %r11
  pop %r9
  pop %r8
  pop %rcx
  pop %rdx
  pop %rsi
  pop %rdi
  pop %rax
  jmp *%r11
  .size .Lbind, . - .Lbind

#include "runtime/base/libc_calls.def"

  .section .note.GNU-stack, "", @progbits
