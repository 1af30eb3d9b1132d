// heddle_call_main(main, argc, argv, environment): main's result. A main that is not a compiler's for C may come back with other registers than it
// promises, the stack pointer among them (Free Pascal's does): the C library only calls exit after it, and so it works there.
    .text
    .globl heddle_call_main
    .hidden heddle_call_main
    .type heddle_call_main, @function
    .p2align 4
heddle_call_main:
    .cfi_startproc
    pushq %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbp, 0
    pushq %rbx
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbx, 0
    pushq %r12
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r12, 0
    pushq %r13
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r13, 0
    pushq %r14
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r14, 0
    pushq %r15
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r15, 0
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    movq %rsp, .Lmain_stack(%rip)
    movq %rdi, %rax
    movl %esi, %edi
    movq %rdx, %rsi
    movq %rcx, %rdx
    call *%rax
    movq .Lmain_stack(%rip), %rsp
    cld
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq %r15
    .cfi_adjust_cfa_offset -8
    .cfi_restore r15
    popq %r14
    .cfi_adjust_cfa_offset -8
    .cfi_restore r14
    popq %r13
    .cfi_adjust_cfa_offset -8
    .cfi_restore r13
    popq %r12
    .cfi_adjust_cfa_offset -8
    .cfi_restore r12
    popq %rbx
    .cfi_adjust_cfa_offset -8
    .cfi_restore rbx
    popq %rbp
    .cfi_adjust_cfa_offset -8
    .cfi_restore rbp
    ret
    .cfi_endproc
    .size heddle_call_main, . - heddle_call_main

    .local .Lmain_stack
    .comm .Lmain_stack, 8, 8

    .section .note.GNU-stack, "", @progbits
