// A surface of the compositor above the page's. The page can neither read, cover nor remove it, and WebKit never sees
// touches and clicks on it.
#pragma once

#include "canvas.h"

#include <wayland-client.h>
#include <wpe/wpe-platform.h>

typedef struct {
    void (*draw)(Canvas *canvas);
    // Only overlay.c changes what follows.
    struct wl_surface *surface; // NULL until it was shown
    struct wl_subsurface *subsurface;
    int width, height, scale; // in the page's pixels; height 0: hidden
    guint buffers;
    gboolean is_outdated;
} Overlay;

void overlay_connect(WPEView *view);
void overlay_show(Overlay *overlay, int y, int width, int height, int scale); // also draws it again
void overlay_hide(Overlay *overlay);
