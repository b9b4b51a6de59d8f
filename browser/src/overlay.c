#include "overlay.h"

#include <sys/mman.h>
#include <unistd.h>
#include <wpe/wayland/wpe-wayland.h>

#define MAX_BUFFERS 2 // that the compositor has not released: one on the screen, one that waits for it

// The surfaces belong to WebKit's connection, because only the page's own client can put a surface above the page's.
// The objects are ours: WebKit ignores touches of surfaces that it does not know.
static struct wl_surface *page;
static struct wl_subcompositor *subcompositor;
static struct wl_compositor *compositor;
static struct wl_shm *shm;

static void paint(Overlay *overlay);

static void on_release(void *data, struct wl_buffer *buffer)
{
    Overlay *overlay = data;
    wl_buffer_destroy(buffer);
    overlay->buffers--;
    if (overlay->is_outdated)
        paint(overlay);
}

static struct wl_buffer *create_buffer(Overlay *overlay, int width, int height)
{
    static const struct wl_buffer_listener listener = {on_release};
    gsize size = (gsize)width * (gsize)height * sizeof(guint32);
    int file = memfd_create("overlay", MFD_CLOEXEC);
    guint32 *pixels = MAP_FAILED;
    if (file >= 0 && ftruncate(file, (off_t)size) == 0)
        pixels = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    struct wl_buffer *buffer = NULL;
    if (pixels != MAP_FAILED) {
        overlay->draw(&(Canvas){pixels, width, height});
        munmap(pixels, size);
        struct wl_shm_pool *pool = wl_shm_create_pool(shm, file, (int32_t)size);
        buffer = wl_shm_pool_create_buffer(pool, 0, width, height, width * 4, WL_SHM_FORMAT_XRGB8888);
        wl_shm_pool_destroy(pool);
        wl_buffer_add_listener(buffer, &listener, overlay);
        overlay->buffers++;
    }
    if (file >= 0)
        close(file);
    return buffer;
}

static void paint(Overlay *overlay)
{
    overlay->is_outdated = overlay->buffers >= MAX_BUFFERS;
    if (overlay->is_outdated || !overlay->height)
        return;
    struct wl_buffer *buffer =
        create_buffer(overlay, overlay->width * overlay->scale, overlay->height * overlay->scale);
    if (!buffer)
        return;
    wl_surface_set_buffer_scale(overlay->surface, overlay->scale);
    wl_surface_attach(overlay->surface, buffer, 0, 0);
    wl_surface_damage(overlay->surface, 0, 0, G_MAXINT32, G_MAXINT32);
    wl_surface_commit(overlay->surface);
}

void overlay_show(Overlay *overlay, int y, int width, int height, int scale)
{
    if (!subcompositor)
        return; // the compositor has none
    if (!overlay->surface) {
        overlay->surface = wl_compositor_create_surface(compositor);
        overlay->subsurface = wl_subcompositor_get_subsurface(subcompositor, overlay->surface, page);
        wl_subsurface_set_desync(overlay->subsurface);
    }
    overlay->width = width;
    overlay->height = height;
    overlay->scale = scale;
    wl_subsurface_set_position(overlay->subsurface, 0, y);
    paint(overlay);
    wl_surface_commit(page); // the position is part of the page's state
}

void overlay_hide(Overlay *overlay)
{
    if (!overlay->height)
        return;
    overlay->height = 0;
    wl_surface_attach(overlay->surface, NULL, 0, 0);
    wl_surface_commit(overlay->surface);
}

static void on_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version)
{
    if (g_str_equal(interface, wl_subcompositor_interface.name))
        subcompositor = wl_registry_bind(registry, name, &wl_subcompositor_interface, 1);
}

static void on_global_removed(void *data, struct wl_registry *registry, uint32_t name)
{
}

void overlay_connect(WPEView *view)
{
    static const struct wl_registry_listener listener = {on_global, on_global_removed};
    WPEDisplayWayland *display = WPE_DISPLAY_WAYLAND(wpe_view_get_display(view));
    page = wpe_view_wayland_get_wl_surface(WPE_VIEW_WAYLAND(view));
    compositor = wpe_display_wayland_get_wl_compositor(display);
    shm = wpe_display_wayland_get_wl_shm(display);
    // WebKit dispatches the events of its connection, ours among them.
    wl_registry_add_listener(wl_display_get_registry(wpe_display_wayland_get_wl_display(display)), &listener, NULL);
    wl_display_roundtrip(wpe_display_wayland_get_wl_display(display)); // there may be something to show at once
}
