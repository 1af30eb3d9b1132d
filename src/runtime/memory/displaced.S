// Where a displaced instruction's stub calls (code_points.cpp). All registers and flags are the program's: they are put back as they were. To an
// unwinder this is a frame like a signal's, on top of the program's own, which goes on at the displaced instruction.
    .text
    .globl heddle_displaced
    .hidden heddle_displaced
    .type heddle_displaced, @function
    .p2align 4
heddle_displaced:
    .cfi_startproc simple
    .cfi_signal_frame
    .cfi_def_cfa rsp, 136       // the return address, and the red zone that the stub has skipped
    .cfi_undefined rip
    pushfq
    .cfi_adjust_cfa_offset 8
    leaq -128(%rsp), %rsp
    .cfi_adjust_cfa_offset 128
    movq %rax, (%rsp)           // in the order of struct CodeStep
    movq %rcx, 8(%rsp)
    movq %rdx, 16(%rsp)
    movq %rbx, 24(%rsp)
    movq %rbp, 40(%rsp)
    movq %rsi, 48(%rsp)
    movq %rdi, 56(%rsp)
    movq %r8, 64(%rsp)
    movq %r9, 72(%rsp)
    movq %r10, 80(%rsp)
    movq %r11, 88(%rsp)
    movq %r12, 96(%rsp)
    movq %r13, 104(%rsp)
    movq %r14, 112(%rsp)
    movq %r15, 120(%rsp)
    leaq 272(%rsp), %rax
    movq %rax, 32(%rsp)
    movq 136(%rsp), %r12        // where the stub goes on
    movq -27(%r12), %r13        // its struct Displaced, see kStubHead
    movq (%r13), %rax
    incq %rax                   // an unwinder's reader takes one off
    movq %rax, 136(%rsp)
    movq %rsp, %rbx
    .cfi_def_cfa rbx, 272
    .cfi_offset rip, -136
    .cfi_offset rax, -272
    .cfi_offset rcx, -264
    .cfi_offset rdx, -256
    .cfi_offset rbx, -248
    .cfi_offset rbp, -232
    .cfi_offset rsi, -224
    .cfi_offset rdi, -216
    .cfi_offset r8, -208
    .cfi_offset r9, -200
    .cfi_offset r10, -192
    .cfi_offset r11, -184
    .cfi_offset r12, -176
    .cfi_offset r13, -168
    .cfi_offset r14, -160
    .cfi_offset r15, -152
    cld
    andq $-64, %rsp
    movq %r13, %rdi
    call heddle_pass_by         // uses general registers only
    testb %al, %al
    je 1f
    subq heddle_vector_bytes(%rip), %rsp
    xorl %eax, %eax
    movq %rax, 512(%rsp)
    movq %rax, 520(%rsp)
    movq %rax, 528(%rsp)
    movq %rax, 536(%rsp)
    movq %rax, 544(%rsp)
    movq %rax, 552(%rsp)
    movq %rax, 560(%rsp)
    movq %rax, 568(%rsp)
    movl heddle_vector_parts(%rip), %eax
    xorl %edx, %edx
    xsave64 (%rsp)
    movq %r13, %rdi
    movq %rbx, %rsi
    movq %rsp, %rdx
    call heddle_code_point
    movl heddle_vector_parts(%rip), %eax
    xorl %edx, %edx
    xrstor64 (%rsp)
1:  movq %rbx, %rsp
    movq %r12, 136(%rsp)
    movq (%rsp), %rax
    movq 8(%rsp), %rcx
    movq 16(%rsp), %rdx
    movq 24(%rsp), %rbx
    .cfi_def_cfa rsp, 272
    .cfi_undefined rip
    movq 40(%rsp), %rbp
    movq 48(%rsp), %rsi
    movq 56(%rsp), %rdi
    movq 64(%rsp), %r8
    movq 72(%rsp), %r9
    movq 80(%rsp), %r10
    movq 88(%rsp), %r11
    movq 96(%rsp), %r12
    movq 104(%rsp), %r13
    movq 112(%rsp), %r14
    movq 120(%rsp), %r15
    leaq 128(%rsp), %rsp
    .cfi_adjust_cfa_offset -128
    popfq
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_endproc
    .size heddle_displaced, . - heddle_displaced

    .section .note.GNU-stack,"",@progbits
