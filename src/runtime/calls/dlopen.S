// dlopen without RTLD_DEEPBIND: a library that is bound so calls the C library's functions past ours. Its threads were not controlled, and it
// gave blocks of our heap to the C library's free. The jump leaves the caller's return address, by which dlopen knows whose search path counts.
    .text
    .globl dlopen
    .type dlopen, @function
    .p2align 4
dlopen:
    .cfi_startproc
    andl $~8, %esi
    jmp __wrap_dlopen
    .cfi_endproc
    .size dlopen, . - dlopen

    .section .note.GNU-stack, "", @progbits
