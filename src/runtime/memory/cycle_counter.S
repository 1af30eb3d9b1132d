// Where the stub of a diverted read of the processor's counter calls (cycle_counter.cpp): the counter in edx:eax, all else as it was.
    .text
    .globl heddle_read_counter
    .hidden heddle_read_counter
    .type heddle_read_counter, @function
    .p2align 4
heddle_read_counter:
    .cfi_startproc
    .cfi_signal_frame
    pushfq
    .cfi_adjust_cfa_offset 8
    pushq %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbp, 0
    movq %rsp, %rbp
    .cfi_def_cfa_register rbp
    pushq %rcx
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    andq $-16, %rsp
    cld
    call heddle_counter         // uses general registers only
    movq %rax, %rdx
    shrq $32, %rdx
    movl %eax, %eax
    movq -8(%rbp), %rcx
    movq -16(%rbp), %rsi
    movq -24(%rbp), %rdi
    movq -32(%rbp), %r8
    movq -40(%rbp), %r9
    movq -48(%rbp), %r10
    movq -56(%rbp), %r11
    movq %rbp, %rsp
    .cfi_def_cfa_register rsp
    popq %rbp
    .cfi_adjust_cfa_offset -8
    .cfi_restore rbp
    popfq
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_endproc
    .size heddle_read_counter, . - heddle_read_counter

    .section .note.GNU-stack,"",@progbits
