/* vitrine-splash: one picture on all screens, before the compositor is there and after it has gone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xf86drmMode.h>

/* Three bytes a pixel, blue first as in DRM's XRGB8888, rows from the top without gaps. */
struct picture {
	uint32_t width, height;
	uint8_t *pixels;
};

/* Decodes a PNG onto black. False, with nothing to free, when the file is not there or does not decode. */
bool picture_read(const char *path, struct picture *picture);
/* Draws the picture in the middle of a screen of XRGB8888, turned clockwise by 0, 90, 180 or 270 degrees and scaled
 * down, never up, until it fits. The screen must be black. False when there is no memory. */
bool picture_draw(const struct picture *picture, int rotation, uint32_t width, uint32_t height, uint32_t stride,
		  uint8_t *screen);

enum { MAX_SCREENS = 8 };

struct screen {
	uint32_t connector, crtc, framebuffer;
	drmModeModeInfo mode;
};

/* A graphics card and what is to be seen on its screens. It is open without being mastered. */
struct card {
	int fd;
	int count;
	struct screen screens[MAX_SCREENS];
};

/* Opens the first card with a connected screen that no other process is the master of. `*taken` tells whether there is
 * one that another process is the master of. */
bool card_open(struct card *card, bool *taken);
/* Draws the picture for every connected screen, in the mode that the screen prefers. False when for none. */
bool card_paint(struct card *card, const struct picture *picture, int rotation);
/* Puts what was painted on the screens. False while another process is the card's master, or when a screen does not take
 * it. `keep`: stays master. */
bool card_show(const struct card *card, bool keep);
/* Whether every screen still shows the picture. */
bool card_is_shown(const struct card *card);
