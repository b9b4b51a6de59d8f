#include "keyboard-parts.h"

#include <linux/input-event-codes.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client.h>
#include <wpe/wayland/wpe-wayland.h>

#define MAX_BUFFERS 2 // that the compositor has not released: one on the screen, one that waits for it

// The surface belongs to WebKit's connection, because only the page's own client can put a surface above the page's.
// The objects are ours: WebKit ignores touches of surfaces that it does not know.
static const KeyboardHandlers *handlers;
static struct wl_surface *page, *surface;
static struct wl_subsurface *subsurface;
static struct wl_subcompositor *subcompositor;
static struct wl_compositor *compositor;
static struct wl_shm *shm;
static struct wl_touch *touch;
static struct wl_pointer *pointer;
static struct {
    int width, height, scale; // 0: hidden
} shown;
static guint buffers;
static gboolean is_outdated;

static struct {
    enum { NOWHERE, ON_PAGE, ON_KEYBOARD } place;
    double x, y;
    gboolean is_down;
} mouse;
static int finger = -1;    // id of the touch on the keyboard
static guint32 pressed_at; // compositor's time of the press, in ms
static int page_fingers;

static void paint(void);

static void on_release(void *data, struct wl_buffer *buffer)
{
    wl_buffer_destroy(buffer);
    buffers--;
    if (is_outdated)
        paint();
}

static struct wl_buffer *create_buffer(int width, int height)
{
    static const struct wl_buffer_listener listener = {on_release};
    gsize size = (gsize)width * (gsize)height * sizeof(guint32);
    int file = memfd_create("keyboard", MFD_CLOEXEC);
    guint32 *pixels = MAP_FAILED;
    if (file >= 0 && ftruncate(file, (off_t)size) == 0)
        pixels = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    struct wl_buffer *buffer = NULL;
    if (pixels != MAP_FAILED) {
        handlers->draw(pixels, width, height);
        munmap(pixels, size);
        struct wl_shm_pool *pool = wl_shm_create_pool(shm, file, (int32_t)size);
        buffer = wl_shm_pool_create_buffer(pool, 0, width, height, width * 4, WL_SHM_FORMAT_XRGB8888);
        wl_shm_pool_destroy(pool);
        wl_buffer_add_listener(buffer, &listener, NULL);
        buffers++;
    }
    if (file >= 0)
        close(file);
    return buffer;
}

static void paint(void)
{
    is_outdated = buffers >= MAX_BUFFERS;
    if (is_outdated || !shown.height)
        return;
    struct wl_buffer *buffer = create_buffer(shown.width * shown.scale, shown.height * shown.scale);
    if (!buffer)
        return;
    wl_surface_set_buffer_scale(surface, shown.scale);
    wl_surface_attach(surface, buffer, 0, 0);
    wl_surface_damage(surface, 0, 0, G_MAXINT32, G_MAXINT32);
    wl_surface_commit(surface);
}

void keyboard_surface_show(int y, int width, int height, int scale)
{
    if (!subcompositor)
        return;
    if (!surface) {
        surface = wl_compositor_create_surface(compositor);
        subsurface = wl_subcompositor_get_subsurface(subcompositor, surface, page);
        wl_subsurface_set_desync(subsurface);
    }
    shown.width = width;
    shown.height = height;
    shown.scale = scale;
    wl_subsurface_set_position(subsurface, 0, y);
    paint();
    wl_surface_commit(page); // the position is part of the page's state
}

void keyboard_surface_hide(void)
{
    if (!shown.height)
        return;
    shown.height = 0;
    finger = -1;
    mouse.is_down = FALSE;
    wl_surface_attach(surface, NULL, 0, 0);
    wl_surface_commit(surface);
}

static void pass(void (*handler)(double x, double y), double x, double y)
{
    if (shown.height)
        handler(x / shown.width, y / shown.height);
}

static void touch_down(void *data, struct wl_touch *self, uint32_t serial, uint32_t time, struct wl_surface *where,
    int32_t id, wl_fixed_t x, wl_fixed_t y)
{
    if (where == page) {
        page_fingers++;
        handlers->page_used(TRUE);
    }
    if (!where || where != surface)
        return;
    if (finger >= 0)
        handlers->release(time - pressed_at); // two thumbs: the second touches before the first lifts
    finger = id;
    pressed_at = time;
    pass(handlers->press, wl_fixed_to_double(x), wl_fixed_to_double(y));
}

static void touch_up(void *data, struct wl_touch *self, uint32_t serial, uint32_t time, int32_t id)
{
    if (id == finger) {
        finger = -1;
        handlers->release(time - pressed_at);
    } else if (page_fingers > 0) {
        page_fingers--;
        handlers->page_used(FALSE);
    }
}

static void touch_motion(void *data, struct wl_touch *self, uint32_t time, int32_t id, wl_fixed_t x, wl_fixed_t y)
{
    if (id == finger)
        pass(handlers->move, wl_fixed_to_double(x), wl_fixed_to_double(y));
}

static void touch_cancel(void *data, struct wl_touch *self)
{
    finger = -1;
    page_fingers = 0;
    handlers->cancel();
}

static void touch_ignore(void *data, struct wl_touch *self)
{
}

static void pointer_enter(
    void *data, struct wl_pointer *self, uint32_t serial, struct wl_surface *where, wl_fixed_t x, wl_fixed_t y)
{
    mouse.place = where == page ? ON_PAGE : where && where == surface ? ON_KEYBOARD : NOWHERE;
    mouse.x = wl_fixed_to_double(x);
    mouse.y = wl_fixed_to_double(y);
}

static void pointer_leave(void *data, struct wl_pointer *self, uint32_t serial, struct wl_surface *where)
{
    mouse.place = NOWHERE;
    if (mouse.is_down)
        handlers->cancel();
    mouse.is_down = FALSE;
}

static void pointer_motion(void *data, struct wl_pointer *self, uint32_t time, wl_fixed_t x, wl_fixed_t y)
{
    mouse.x = wl_fixed_to_double(x);
    mouse.y = wl_fixed_to_double(y);
    if (mouse.is_down)
        pass(handlers->move, mouse.x, mouse.y);
}

static void pointer_button(
    void *data, struct wl_pointer *self, uint32_t serial, uint32_t time, uint32_t button, uint32_t state)
{
    gboolean is_down = state == WL_POINTER_BUTTON_STATE_PRESSED;
    if (mouse.place == ON_PAGE)
        handlers->page_used(is_down);
    if (mouse.place != ON_KEYBOARD || button != BTN_LEFT)
        return;
    if (is_down) {
        pressed_at = time;
        pass(handlers->press, mouse.x, mouse.y);
    } else if (mouse.is_down) {
        handlers->release(time - pressed_at);
    }
    mouse.is_down = is_down;
}

static void pointer_axis(void *data, struct wl_pointer *self, uint32_t time, uint32_t axis, wl_fixed_t value)
{
}

static void on_capabilities(void *data, struct wl_seat *seat, uint32_t capabilities)
{
    static const struct wl_touch_listener touches = {
        .down = touch_down,
        .up = touch_up,
        .motion = touch_motion,
        .frame = touch_ignore,
        .cancel = touch_cancel,
    };
    static const struct wl_pointer_listener clicks = {
        .enter = pointer_enter,
        .leave = pointer_leave,
        .motion = pointer_motion,
        .button = pointer_button,
        .axis = pointer_axis,
    };
    gboolean has_touch = capabilities & WL_SEAT_CAPABILITY_TOUCH;
    gboolean has_pointer = capabilities & WL_SEAT_CAPABILITY_POINTER;
    if (has_touch && !touch) {
        touch = wl_seat_get_touch(seat);
        wl_touch_add_listener(touch, &touches, NULL);
    } else if (!has_touch && touch) {
        g_clear_pointer(&touch, wl_touch_destroy);
        touch_cancel(NULL, NULL);
    }
    if (has_pointer && !pointer) {
        pointer = wl_seat_get_pointer(seat);
        wl_pointer_add_listener(pointer, &clicks, NULL);
    } else if (!has_pointer && pointer) {
        g_clear_pointer(&pointer, wl_pointer_destroy);
        pointer_leave(NULL, NULL, 0, NULL);
    }
}

static void on_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version)
{
    // Version 1 of a seat: later ones have events that nobody needs here.
    static const struct wl_seat_listener listener = {.capabilities = on_capabilities};
    static struct wl_seat *seat;
    if (g_str_equal(interface, wl_subcompositor_interface.name)) {
        subcompositor = wl_registry_bind(registry, name, &wl_subcompositor_interface, 1);
    } else if (g_str_equal(interface, wl_seat_interface.name) && !seat) {
        seat = wl_registry_bind(registry, name, &wl_seat_interface, 1);
        wl_seat_add_listener(seat, &listener, NULL);
    }
}

static void on_global_removed(void *data, struct wl_registry *registry, uint32_t name)
{
}

void keyboard_surface_start(WPEView *view, const KeyboardHandlers *callbacks)
{
    static const struct wl_registry_listener listener = {on_global, on_global_removed};
    handlers = callbacks;
    WPEDisplayWayland *display = WPE_DISPLAY_WAYLAND(wpe_view_get_display(view));
    page = wpe_view_wayland_get_wl_surface(WPE_VIEW_WAYLAND(view));
    compositor = wpe_display_wayland_get_wl_compositor(display);
    shm = wpe_display_wayland_get_wl_shm(display);
    // WebKit dispatches the events of its connection, ours among them.
    wl_registry_add_listener(wl_display_get_registry(wpe_display_wayland_get_wl_display(display)), &listener, NULL);
    wl_display_flush(wpe_display_wayland_get_wl_display(display));
}
