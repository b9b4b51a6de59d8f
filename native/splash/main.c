#include "splash.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* At boot a graphics driver may load late; at shutdown a compositor may release the screen late. */
enum { POLL_MS = 200, TIMEOUT_MS = 5000 };

static void wait_poll_interval(void)
{
    nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000000L}, NULL);
}

/* Waits for a card with a screen and shows the picture there. At boot does not wait for a screen that another process
 * uses, because that process already shows something. With the last picture it is the opposite: waits for the
 * other process, which is ending, but not for a missing screen, which must not delay the shutdown. */
static bool show(struct card *card, const struct picture *picture, int rotation, bool last)
{
    for (int waited = 0; waited < TIMEOUT_MS; waited += POLL_MS) {
        bool taken;
        if (card_open(card, &taken)) {
            if (!card_paint(card, picture, rotation))
                return false;
            taken = !card_show(card, last);
            if (!taken)
                return true;
            close(card->fd);
        }
        if (taken != last)
            return false;
        wait_poll_interval();
    }
    return false;
}

/* Returns when a compositor has put its own frame on the screen. Until then this process must run, because its picture
 * disappears when it ends. The kernel's console may replace the picture, for instance when a terminal is reset: then
 * the screen has another frame but no master, and the picture is restored. */
static void keep_shown(const struct card *card, bool last)
{
    do {
        do
            wait_poll_interval();
        while (card_is_shown(card));
    } while (card_show(card, last));
}

static int usage(const char *program)
{
    fprintf(stderr, "usage: %s [--last] [--rotate 0|90|180|270] FILE.png…\n", program);
    return 2;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"last", no_argument, NULL, 'l'},
        {"rotate", required_argument, NULL, 'r'},
        {0},
    };
    bool last = false;
    int rotation = 0;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'l')
            last = true;
        else if (option == 'r')
            rotation = atoi(optarg);
        else
            return usage(argv[0]);
    }
    if (optind == argc || rotation % 90 || rotation < 0 || rotation > 270)
        return usage(argv[0]);

    struct picture picture;
    bool decoded = false;
    for (int i = optind; i < argc && !decoded; i++)
        decoded = picture_read(argv[i], &picture);
    if (!decoded)
        return 1;
    struct card card;
    /* A missing screen is not a failure. */
    if (!show(&card, &picture, rotation, last))
        return 0;
    free(picture.pixels);
    /* A child process keeps showing the last picture. The parent exits, so that its caller knows that it is shown. */
    if (last && fork() > 0)
        _exit(0);
    keep_shown(&card, last);
    return 0;
}
