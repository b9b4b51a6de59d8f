/*
 * A minimal kernel for U-Boot's booti: prints its slot, its command line and its initramfs (a NUL-terminated text) to the
 * PL011 of QEMU's "virt" and resets. Assembled once per slot, with SLOT as the slot's character. The header follows
 * Documentation/arch/arm64/booting.rst. x0 is the address of the device tree, which is big-endian and in the format of
 * the Devicetree Specification, chapter 5.
 */
begin:  b       start
        .long   0
        .quad   0                       /* text_offset */
        .quad   end - begin             /* image_size */
        .quad   0xa                     /* little-endian, 4 KiB pages, anywhere in memory */
        .quad   0, 0, 0
        .ascii  "ARM\x64"
        .long   0

        /* x19: next token; x20: the strings; x21: the command line; x22: the initramfs */
start:  ldr     w1, [x0, #8]            /* off_dt_struct */
        rev     w1, w1
        add     x19, x0, x1
        ldr     w1, [x0, #12]           /* off_dt_strings */
        rev     w1, w1
        add     x20, x0, x1
        adr     x21, none
        adr     x22, none

token:  ldr     w1, [x19], #4
        rev     w1, w1
        cmp     w1, #1                  /* FDT_BEGIN_NODE: its name, padded */
        b.eq    node
        cmp     w1, #3                  /* FDT_PROP */
        b.eq    property
        cmp     w1, #9                  /* FDT_END */
        b.ne    token                   /* FDT_END_NODE, FDT_NOP */

        adr     x1, name
        bl      puts
        mov     x1, x21
        bl      puts
        adr     x1, initramfs
        bl      puts
        mov     x1, x22
        bl      puts
        adr     x1, newline
        bl      puts
        mov     w0, #0x0009             /* PSCI SYSTEM_RESET */
        movk    w0, #0x8400, lsl #16
        hvc     #0
stop:   wfi
        b       stop

node:   ldrb    w1, [x19], #1
        cbnz    w1, node
align:  add     x19, x19, #3
        and     x19, x19, #~3
        b       token

property:
        ldp     w2, w3, [x19], #8
        rev     w2, w2                  /* length */
        rev     w3, w3                  /* offset of the name */
        add     x3, x20, x3
        mov     x4, x19                 /* the value */
        add     x19, x19, x2
        mov     x5, x3
        adr     x6, bootargs
        bl      equal
        csel    x21, x4, x21, eq
        mov     x5, x3
        adr     x6, initrd
        bl      equal
        b.ne    align
        ldr     w22, [x4]               /* one cell, or two */
        rev     w22, w22
        cmp     w2, #4
        b.eq    align
        ldr     w5, [x4, #4]
        rev     w5, w5
        orr     x22, x5, x22, lsl #32
        b       align

        /* whether the texts at x5 and x6 are the same: sets "eq" */
equal:  ldrb    w7, [x5], #1
        ldrb    w8, [x6], #1
        cmp     w7, w8
        b.ne    return
        cbnz    w7, equal
return: ret

puts:   mov     x5, #0x09000000
ready:  ldr     w6, [x5, #0x18]         /* flag register */
        tbnz    w6, #5, ready           /* transmit FIFO full */
        ldrb    w6, [x1], #1
        cbz     w6, return
        str     w6, [x5]
        b       puts

bootargs:
        .asciz  "bootargs"
initrd: .asciz  "linux,initrd-start"
name:   .ascii  "\nkernel "
        .byte   SLOT
        .asciz  ": "
initramfs:
        .asciz  "\ninitramfs: "
newline:
        .ascii  "\nreset\n"
none:   .asciz  ""
        .balign 8
end:
