/*
 * vitrine-throttled: prints the Raspberry Pi firmware's flags of undervoltage and throttling as a hexadecimal number.
 *
 * The kernel's driver reports undervoltage only (hwmon "rpi_volt"). The other flags need an ioctl on the firmware's
 * mailbox, which Node does not support. The agent runs this program for its health report.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#define MAILBOX "/dev/vcio"
/* drivers/char/broadcom/vcio.c */
#define IOCTL_PROPERTY _IOWR(100, 0, char *)
/* include/soc/bcm2835/raspberrypi-firmware.h */
#define GET_THROTTLED 0x00030046u
#define ANSWERED 0x80000000u

/* A message with one tag. */
struct message {
    uint32_t size;
    uint32_t status;
    uint32_t tag;
    uint32_t value_size;
    uint32_t answer;
    uint32_t value;
    uint32_t end;
};

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "vitrine-throttled: %s: %s\n", what, why);
    return 1;
}

int main(void)
{
    struct message message = {
        .size = sizeof message,
        .tag = GET_THROTTLED,
        .value_size = sizeof message.value,
        /* Mask of "has occurred" flags to clear. None, because the kernel's driver uses them. */
        .value = 0,
    };

    int mailbox = open(MAILBOX, O_RDWR | O_CLOEXEC);
    if (mailbox < 0)
        return fail(MAILBOX, strerror(errno));
    if (ioctl(mailbox, IOCTL_PROPERTY, &message) < 0)
        return fail("the firmware's mailbox", strerror(errno));
    if (message.status != ANSWERED || !(message.answer & ANSWERED))
        return fail("the firmware's mailbox", "the firmware does not support the request");

    printf("%x\n", message.value);
    return fflush(stdout) == 0 ? 0 : fail("standard output", strerror(errno));
}
