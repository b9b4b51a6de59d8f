#include "splash.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

enum { MAX_CARDS = 8 };

static bool has_screen(int fd)
{
    drmModeRes *resources = drmModeGetResources(fd);
    bool found = false;
    for (int i = 0; resources && !found && i < resources->count_connectors; i++) {
        drmModeConnector *connector = drmModeGetConnector(fd, resources->connectors[i]);
        found = connector && connector->connection == DRM_MODE_CONNECTED && connector->count_modes > 0;
        drmModeFreeConnector(connector);
    }
    drmModeFreeResources(resources);
    return found;
}

bool card_open(struct card *card, bool *taken)
{
    *taken = false;
    for (int i = 0; i < MAX_CARDS; i++) {
        char path[32];
        snprintf(path, sizeof path, "/dev/dri/card%d", i);
        /* Opening a card without a master makes this process the master; it may become master again later without
         * a capability. */
        int fd = open(path, O_RDWR | O_CLOEXEC);
        if (fd < 0)
            continue;
        bool master = drmIsMaster(fd);
        /* Drop it at once, so that a compositor which starts meanwhile can become the master. */
        if (master)
            drmDropMaster(fd);
        if (has_screen(fd)) {
            if (master) {
                *card = (struct card){.fd = fd};
                return true;
            }
            *taken = true;
        }
        close(fd);
    }
    return false;
}

/* Creates a framebuffer with the picture; 0 on failure. It exists as long as the card is open. */
static uint32_t paint(int fd, const drmModeModeInfo *mode, const struct picture *picture, int rotation)
{
    uint32_t width = mode->hdisplay, height = mode->vdisplay, handle, stride, framebuffer = 0;
    uint64_t size, offset;
    if (drmModeCreateDumbBuffer(fd, width, height, 32, 0, &handle, &stride, &size))
        return 0;
    if (drmModeMapDumbBuffer(fd, handle, &offset))
        return 0;
    /* New buffers are black. */
    uint8_t *pixels = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
    if (pixels == MAP_FAILED)
        return 0;
    bool drawn = picture_draw(picture, rotation, width, height, stride, pixels);
    munmap(pixels, size);
    if (!drawn || drmModeAddFB(fd, width, height, 24, 32, stride, handle, &framebuffer))
        return 0;
    return framebuffer;
}

static const drmModeModeInfo *preferred_mode(const drmModeConnector *connector)
{
    for (int i = 0; i < connector->count_modes; i++)
        if (connector->modes[i].type & DRM_MODE_TYPE_PREFERRED)
            return &connector->modes[i];
    return &connector->modes[0];
}

/* A CRTC that can drive the connector and is not used for another of our screens; 0 if there is none. */
static uint32_t free_crtc(const struct card *card, const drmModeRes *resources, const drmModeConnector *connector)
{
    for (int e = 0; e < connector->count_encoders; e++) {
        drmModeEncoder *encoder = drmModeGetEncoder(card->fd, connector->encoders[e]);
        uint32_t possible = encoder ? encoder->possible_crtcs : 0;
        drmModeFreeEncoder(encoder);
        for (int c = 0; c < resources->count_crtcs && c < 32; c++) {
            bool used = !(possible & (1u << c));
            for (int s = 0; s < card->count && !used; s++)
                used = card->screens[s].crtc == resources->crtcs[c];
            if (!used)
                return resources->crtcs[c];
        }
    }
    return 0;
}

static void paint_for(struct card *card, const drmModeRes *resources, const drmModeConnector *connector,
    const struct picture *picture, int rotation)
{
    if (connector->connection != DRM_MODE_CONNECTED || connector->count_modes < 1)
        return;
    struct screen screen = {.connector = connector->connector_id, .mode = *preferred_mode(connector)};
    screen.crtc = free_crtc(card, resources, connector);
    if (screen.crtc)
        screen.framebuffer = paint(card->fd, &screen.mode, picture, rotation);
    if (screen.framebuffer)
        card->screens[card->count++] = screen;
}

bool card_paint(struct card *card, const struct picture *picture, int rotation)
{
    drmModeRes *resources = drmModeGetResources(card->fd);
    for (int i = 0; resources && i < resources->count_connectors && card->count < MAX_SCREENS; i++) {
        drmModeConnector *connector = drmModeGetConnector(card->fd, resources->connectors[i]);
        if (connector)
            paint_for(card, resources, connector, picture, rotation);
        drmModeFreeConnector(connector);
    }
    drmModeFreeResources(resources);
    return card->count > 0;
}

bool card_show(const struct card *card, bool keep)
{
    if (drmSetMaster(card->fd))
        return false;
    bool shown = true;
    for (int i = 0; i < card->count && shown; i++) {
        struct screen screen = card->screens[i];
        shown =
            drmModeSetCrtc(card->fd, screen.crtc, screen.framebuffer, 0, 0, &screen.connector, 1, &screen.mode) == 0;
    }
    if (!keep || !shown)
        drmDropMaster(card->fd);
    return shown;
}

bool card_is_shown(const struct card *card)
{
    for (int i = 0; i < card->count; i++) {
        drmModeCrtc *crtc = drmModeGetCrtc(card->fd, card->screens[i].crtc);
        bool shown = crtc && crtc->buffer_id == card->screens[i].framebuffer;
        drmModeFreeCrtc(crtc);
        if (!shown)
            return false;
    }
    return true;
}
