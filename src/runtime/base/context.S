// Context switches for x86-64. See context.h.
    .text

    .macro SAVE_REGISTERS
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
    stmxcsr (%rsp)
    fnstcw 4(%rsp)
    .endm

    .macro RESTORE_REGISTERS
    ldmxcsr (%rsp)
    fldcw 4(%rsp)
    RESTORE_GENERAL
    .endm

    .macro RESTORE_GENERAL
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
    .endm

    .macro FUNCTION name
    .globl \name
    .hidden \name
    .type \name, @function
    .p2align 4
\name:
    .cfi_startproc
    .endm

    .macro END name
    .cfi_endproc
    .size \name, . - \name
    .endm

// Loading the control words takes longer than all the rest, and they are mostly the same.
FUNCTION heddle_switch_fast
    SAVE_REGISTERS
    movl (%rsp), %eax
    movzwl 4(%rsp), %ecx
    movq %rsp, (%rdi)
    wrfsbase %rdx
    movq %rsi, %rsp
    cmpl %eax, (%rsp)
    jne 1f
    cmpw %cx, 4(%rsp)
    je 2f
1:  ldmxcsr (%rsp)
    fldcw 4(%rsp)
2:  RESTORE_GENERAL
    ret
END heddle_switch_fast

FUNCTION heddle_switch_slow
    SAVE_REGISTERS
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    movl $158, %eax            // arch_prctl
    movl $0x1002, %edi         // ARCH_SET_FS
    movq %rdx, %rsi
    syscall
    RESTORE_REGISTERS
    ret
END heddle_switch_slow

FUNCTION heddle_call_saved
    SAVE_REGISTERS
    movq %rsp, (%rdi)
    movq %rdx, %rdi
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    call *%rsi
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    RESTORE_REGISTERS
    ret
END heddle_call_saved

FUNCTION heddle_park
    SAVE_REGISTERS
    movq %rsp, (%rdi)
    movq %rdi, %r12
    movq %rsi, %rbx
    movl $1, (%rdx)
1:  movq %rbx, %rdi
    movl $128, %esi            // FUTEX_WAIT | FUTEX_PRIVATE_FLAG
    xorl %edx, %edx
    xorl %r10d, %r10d
    movl $202, %eax            // futex
    syscall
    cmpl $0, (%rbx)
    je 1b
    movq (%r12), %rsp
    RESTORE_REGISTERS
    ret
END heddle_park

FUNCTION heddle_mark
    movq (%rsp), %rax
    movq %rax, (%rdi)
    leaq 8(%rsp), %rax
    movq %rax, 8(%rdi)
    movq %rbp, 16(%rdi)
    movq %rbx, 24(%rdi)
    movq %r12, 32(%rdi)
    movq %r13, 40(%rdi)
    movq %r14, 48(%rdi)
    movq %r15, 56(%rdi)
    stmxcsr 64(%rdi)
    fnstcw 68(%rdi)
    xorl %eax, %eax
    ret
END heddle_mark

FUNCTION heddle_come_back
    movq 8(%rdi), %rsp
    movq 16(%rdi), %rbp
    movq 24(%rdi), %rbx
    movq 32(%rdi), %r12
    movq 40(%rdi), %r13
    movq 48(%rdi), %r14
    movq 56(%rdi), %r15
    fninit
    ldmxcsr 64(%rdi)
    fldcw 68(%rdi)
    movl $1, %eax
    jmp *(%rdi)
END heddle_come_back

FUNCTION heddle_call_on
    movq %rdi, %rsp
    xorl %ebp, %ebp
    movq %rdx, %rdi
    call *%rsi
    ud2
END heddle_call_on

// See wire/checkpoint.h. It is copied to beside its script before it runs: everything else may be unmapped meanwhile.
FUNCTION heddle_run_script
    movq %rdi, %r12
    movq (%r12), %r13          // how many calls
    movq 16(%r12), %rbx
    addq %r12, %rbx
1:  testq %r13, %r13
    jz 4f
    movq (%rbx), %rax
    movq 8(%rbx), %rdi
    movq 16(%rbx), %rsi
    movq 24(%rbx), %rdx
    movq 32(%rbx), %r10
    movq 40(%rbx), %r8
    movq 48(%rbx), %r9
    syscall
    cmpq $-4096, %rax
    ja 3f
    cmpq $17, (%rbx)           // pread64: all of it
    jne 2f
    cmpq %rax, 24(%rbx)
    jne 3f
2:  addq $64, %rbx
    decq %r13
    jmp 1b
3:  cmpq $0, 56(%rbx)          // it may fail
    jne 2b
    movl $231, %eax            // exit_group
    movl $125, %edi
    syscall
4:  movq 8(%r12), %rdi
    jmp *72(%rdi)              // behind the mark: who comes back to it
    .globl heddle_run_script_end
    .hidden heddle_run_script_end
heddle_run_script_end:
END heddle_run_script

FUNCTION heddle_signal_return
    movl $15, %eax             // rt_sigreturn
    syscall
END heddle_signal_return

    .section .note.GNU-stack,"",@progbits
