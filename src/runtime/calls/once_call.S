// heddle_call_once(initialise): calls it from a frame that the unwinder asks on its way out, whether by an exception, by pthread_exit or by
// a cancellation. Compilers write such frames only for a language's own runtime library, and there is none here.
    .text
    .globl heddle_call_once
    .hidden heddle_call_once
    .type heddle_call_once, @function
    .p2align 4
heddle_call_once:
    .cfi_startproc
    .cfi_personality 0x1b, heddle_once_unwinds
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    call *%rdi
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_endproc
    .size heddle_call_once, . - heddle_call_once

    .section .note.GNU-stack, "", @progbits
