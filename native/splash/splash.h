/* vitrine-splash: shows a picture on all screens before the compositor starts and after it has ended. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xf86drmMode.h>

/* Three bytes per pixel in the order blue, green, red as in DRM's XRGB8888; rows from top to bottom without gaps. */
struct picture {
    uint32_t width, height;
    uint8_t *pixels;
};

/* Decodes a PNG on a black background. Returns false, with nothing to free, when the file is missing or invalid. */
bool picture_read(const char *path, struct picture *picture);
/* Draws the picture in the middle of an XRGB8888 screen, rotated clockwise by 0, 90, 180 or 270 degrees and scaled
 * down, never up, to fit. The screen must be black. Returns false when there is not enough memory. */
bool picture_draw(
    const struct picture *picture, int rotation, uint32_t width, uint32_t height, uint32_t stride, uint8_t *screen);

enum { MAX_SCREENS = 8 };

struct screen {
    uint32_t connector, crtc, framebuffer;
    drmModeModeInfo mode;
};

/* An open graphics card and the framebuffers for its screens. This process is not its DRM master. */
struct card {
    int fd;
    int count;
    struct screen screens[MAX_SCREENS];
};

/* Opens the first card with a connected screen and without another DRM master. Otherwise returns false and sets
 * `*taken` to whether there is a card with a connected screen whose master is another process. */
bool card_open(struct card *card, bool *taken);
/* Draws the picture for every connected screen in its preferred mode. Returns false when there is no screen. */
bool card_paint(struct card *card, const struct picture *picture, int rotation);
/* Shows the drawn pictures on the screens. Returns false while another process is the card's master, or when setting a
 * screen fails. With `keep` stays the master. */
bool card_show(const struct card *card, bool keep);
/* Whether every screen still shows the picture. */
bool card_is_shown(const struct card *card);
