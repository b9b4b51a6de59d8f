/*
 * A minimal kernel for U-Boot's zboot: prints its slot, its command line and its initramfs (a NUL-terminated text) to the
 * first serial port and resets. Assembled once per slot, with SLOT as the slot's character. The header follows
 * Documentation/arch/x86/boot.rst, protocol 2.12.
 */
        .org    0x1f1
        .byte   1                       /* setup_sects: the header's own, and this one */
        .org    0x1f4
        .long   (end - kernel) / 16     /* syssize */
        .org    0x1fe
        .word   0xaa55
        .org    0x202
        .ascii  "HdrS"
        .word   0x020c
        .org    0x211
        .byte   1                       /* loadflags: LOADED_HIGH */
        .org    0x236
        .word   1                       /* xloadflags: XLF_KERNEL_64 */
        .long   2047                    /* cmdline_size */

        .org    0x400
kernel: .org    0x600                   /* the 64-bit entry; rsi is the address of struct boot_params */
        lea     name(%rip), %rbx
        call    puts
        mov     0x228(%rsi), %ebx       /* cmd_line_ptr */
        call    puts
        lea     initramfs(%rip), %rbx
        call    puts
        mov     0x218(%rsi), %ebx       /* ramdisk_image */
        call    puts
        lea     newline(%rip), %rbx
        call    puts
        mov     $0xcf9, %edx            /* reset control: hard reset */
        mov     $6, %al
        out     %al, (%dx)
stop:   hlt
        jmp     stop

puts:   mov     $0x3fd, %edx            /* line status */
wait:   in      (%dx), %al
        test    $0x20, %al              /* nothing left to send */
        jz      wait
        mov     (%rbx), %al
        test    %al, %al
        jz      done
        mov     $0x3f8, %edx
        out     %al, (%dx)
        inc     %rbx
        jmp     puts
done:   ret

name:   .ascii  "\nkernel "
        .byte   SLOT
        .asciz  ": "
initramfs:
        .asciz  "\ninitramfs: "
newline:
        .asciz  "\nreset\n"
        .balign 16
end:
