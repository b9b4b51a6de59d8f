#include "seat.h"

#include <wayland-client.h>
#include <wpe/wayland/wpe-wayland.h>

typedef struct {
    struct wl_display *display;
    void (*settled)(Call call);
    Call call;
    int rounds; // that are left
} Wait;

static void ask(Wait *wait);

static void on_answer(void *data, struct wl_callback *callback, uint32_t serial)
{
    Wait *wait = data;
    wl_callback_destroy(callback);
    if (--wait->rounds > 0) {
        ask(wait);
        return;
    }
    wait->settled(wait->call);
    g_free(wait);
}

// WebKit dispatches the events of its connection in their order, ours among them.
static void ask(Wait *wait)
{
    static const struct wl_callback_listener listener = {on_answer};
    wl_callback_add_listener(wl_display_sync(wait->display), &listener, wait);
    wl_display_flush(wait->display);
}

void seat_settle(WPEView *view, void (*settled)(Call call), Call call)
{
    WPEDisplayWayland *display = WPE_DISPLAY_WAYLAND(wpe_view_get_display(view));
    Wait *wait = g_new(Wait, 1);
    // In the first round WebKit hears of a new pointer and asks for it, in the second the compositor handles that.
    *wait = (Wait){wpe_display_wayland_get_wl_display(display), settled, call, 2};
    ask(wait);
}
