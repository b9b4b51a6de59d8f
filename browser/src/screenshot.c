#include "screenshot.h"

#include "view.h"

#include <png.h>

#define MAX_SCREENSHOTS 2 // a picture may be megabytes, and waits until the agent has read it

static guint screenshots; // that are being made

typedef struct {
    GBytes *pixels;
    png_image format;
    png_int_32 stride;
} Picture;

static void picture_free(gpointer data)
{
    Picture *picture = data;
    g_bytes_unref(picture->pixels);
    g_free(picture);
}

// In a thread. With WebKit's own encoder a screenshot took twice as long.
static void encode(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    Picture *picture = data;
    png_image *format = &picture->format;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(*format);
    g_autofree guchar *png = g_try_malloc(size);
    if (!png)
        g_task_return_new_error(task, G_IO_ERROR, G_IO_ERROR_FAILED, "not enough memory for the picture");
    else if (!png_image_write_to_memory(
                 format, png, &size, 0, g_bytes_get_data(picture->pixels, NULL), picture->stride, NULL))
        g_task_return_new_error(task, G_IO_ERROR, G_IO_ERROR_FAILED, "%s", format->message);
    else
        g_task_return_pointer(task, g_base64_encode(png, size), g_free);
}

static void on_encoded(GObject *image, GAsyncResult *result, gpointer data)
{
    g_autofree Call *call = data;
    g_autoptr(GError) error = NULL;
    char *png = g_task_propagate_pointer(G_TASK(result), &error);
    screenshots--;
    if (png)
        link_answer_text(*call, "png", png);
    else
        link_fail(*call, "screenshot_failed", error->message);
}

static void on_snapshot(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autofree Call *call = data;
    g_autoptr(GError) error = NULL;
    g_autoptr(WebKitImage) image = webkit_web_view_get_snapshot_finish(WEBKIT_WEB_VIEW(source), result, &error);
    if (!image) {
        screenshots--;
        link_fail(*call, "screenshot_failed", error->message);
        return;
    }
    Picture *picture = g_new0(Picture, 1);
    picture->pixels = g_bytes_ref(webkit_image_as_bytes(image));
    picture->stride = (png_int_32)webkit_image_get_stride(image);
    picture->format.version = PNG_IMAGE_VERSION;
    picture->format.width = (png_uint_32)webkit_image_get_width(image);
    picture->format.height = (png_uint_32)webkit_image_get_height(image);
    picture->format.format = PNG_FORMAT_BGRA;
    picture->format.flags = PNG_IMAGE_FLAG_FAST;
    g_autoptr(GTask) task = g_task_new(image, NULL, on_encoded, g_steal_pointer(&call));
    g_task_set_task_data(task, picture, picture_free);
    g_task_run_in_thread(task, encode);
}

void screenshot(Call call)
{
    if (screenshots >= MAX_SCREENSHOTS) {
        link_fail(call, "busy", "too many screenshots are being made");
        return;
    }
    screenshots++;
    webkit_web_view_get_snapshot(view_get(), WEBKIT_SNAPSHOT_REGION_VISIBLE, WEBKIT_SNAPSHOT_OPTIONS_NONE, NULL,
        on_snapshot, g_memdup2(&call, sizeof call));
}
