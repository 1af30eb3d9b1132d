// A stub for each function of libc_calls.def, under the name that the linker's --wrap gives to our calls of it. Its slot leads to the C
// library's own function once that is known.
#define HEDDLE_LIBC(name)                     \
  .pushsection .rodata;                       \
.Ltext_##name:                                \
  .asciz #name;                               \
  .popsection;                                \
  .pushsection .data;                         \
  .balign 8;                                  \
.Lslot_##name:                                \
  .quad .Lbind_##name;                        \
  .popsection;                                \
  .globl __wrap_##name;                       \
  .hidden __wrap_##name;                      \
  .type __wrap_##name, @function;             \
__wrap_##name:                                \
  jmp *.Lslot_##name(%rip);                   \
.Lbind_##name:                                \
  leaq .Ltext_##name(%rip), %r11;             \
  leaq .Lslot_##name(%rip), %r10;             \
  jmp .Lbind;                                 \
  .size __wrap_##name, . - __wrap_##name;

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
