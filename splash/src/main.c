#include "splash.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* At boot a graphics driver may load late; at the end a compositor may let go of the screen late. */
enum { LOOK_MS = 200, PATIENCE_MS = 5000 };

static void wait_a_moment(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = LOOK_MS * 1000000L }, NULL);
}

/* Waits for a card with a screen and shows the picture there. A process that has the screen shows something already and
 * is not waited for. With the last picture it is the other way round: that process is ending, and a screen that is not
 * there does not come any more and must not hold up the shutdown. */
static bool show(struct card *card, const struct picture *picture, int rotation, bool last)
{
	for (int waited = 0; waited < PATIENCE_MS; waited += LOOK_MS) {
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
		wait_a_moment();
	}
	return false;
}

/* Returns when a compositor has put its own frame on the screen; until then it scans out the picture, which goes with
 * this process. The kernel's console may come in between, for instance when a terminal is reset: then the screen has
 * another frame but no master, and the picture is put back. */
static void keep_shown(const struct card *card, bool last)
{
	do {
		do
			wait_a_moment();
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
		{ "last", no_argument, NULL, 'l' },
		{ "rotate", required_argument, NULL, 'r' },
		{ 0 },
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
	/* No screen is no failure: nobody would see the picture. */
	if (!show(&card, &picture, rotation, last))
		return 0;
	free(picture.pixels);
	/* The last picture outlives the program that was started, so that who waits for that knows it is on the screen. */
	if (last && fork() > 0)
		_exit(0);
	keep_shown(&card, last);
	return 0;
}
