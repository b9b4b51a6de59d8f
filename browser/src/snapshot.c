#include "vitrine.h"

#include <png.h>

typedef struct {
    gint64 id;
    WebKitImage *image;
    GByteArray *png;
} Snapshot;

static void snapshot_free(Snapshot *snapshot)
{
    g_clear_object(&snapshot->image);
    g_clear_pointer(&snapshot->png, g_byte_array_unref);
    g_free(snapshot);
}

static void on_png_data(png_structp writer, png_bytep data, size_t size)
{
    g_byte_array_append(png_get_io_ptr(writer), data, (guint)size);
}

static void on_png_flush(png_structp writer) {}

static gboolean encode(Snapshot *snapshot)
{
    guint width = (guint)webkit_image_get_width(snapshot->image), height = (guint)webkit_image_get_height(snapshot->image);
    guint stride = webkit_image_get_stride(snapshot->image);
    gsize size;
    const guint8 *pixels = g_bytes_get_data(webkit_image_as_bytes(snapshot->image), &size); // bytes stay the image's
    if (width == 0 || height == 0 || size / stride < height)
        return FALSE;
    png_structp writer = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(writer);
    if (setjmp(png_jmpbuf(writer))) {
        png_destroy_write_struct(&writer, &info);
        return FALSE;
    }
    png_set_write_fn(writer, snapshot->png, on_png_data, on_png_flush);
    png_set_compression_level(writer, 1); // pages are mostly flat: more effort costs time and saves little
    png_set_filter(writer, 0, PNG_FILTER_SUB);
    png_set_IHDR(writer, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
        PNG_FILTER_TYPE_DEFAULT);
    png_write_info(writer, info);
    png_set_filler(writer, 0, PNG_FILLER_AFTER);
    png_set_bgr(writer); // WebKit's bytes are BGRA, whatever its documentation says
    for (guint y = 0; y < height; y++)
        png_write_row(writer, pixels + (gsize)y * stride);
    png_write_end(writer, info);
    png_destroy_write_struct(&writer, &info);
    return TRUE;
}

static void encode_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    g_task_return_boolean(task, encode(data));
}

static void on_encoded(GObject *source, GAsyncResult *result, gpointer data)
{
    Snapshot *snapshot = g_task_get_task_data(G_TASK(result));
    if (!g_task_propagate_boolean(G_TASK(result), NULL)) {
        link_fail(snapshot->id, "screenshot_failed", "the picture could not be encoded");
        return;
    }
    g_autofree char *base64 = g_base64_encode(snapshot->png->data, snapshot->png->len);
    JsonBuilder *answer = link_answer(snapshot->id, TRUE);
    link_number(answer, "width", webkit_image_get_width(snapshot->image));
    link_number(answer, "height", webkit_image_get_height(snapshot->image));
    link_text(answer, "png", base64);
    link_send(answer);
}

static void on_snapshot(GObject *source, GAsyncResult *result, gpointer data)
{
    Snapshot *snapshot = data;
    g_autoptr(GError) error = NULL;
    snapshot->image = webkit_web_view_get_snapshot_finish(WEBKIT_WEB_VIEW(source), result, &error);
    if (!snapshot->image) {
        link_fail(snapshot->id, "screenshot_failed", error->message);
        snapshot_free(snapshot);
        return;
    }
    snapshot->png = g_byte_array_new();
    g_autoptr(GTask) task = g_task_new(NULL, NULL, on_encoded, NULL);
    g_task_set_task_data(task, snapshot, (GDestroyNotify)snapshot_free);
    g_task_run_in_thread(task, encode_in_thread);
}

void snapshot_take(gint64 id)
{
    Snapshot *snapshot = g_new0(Snapshot, 1);
    snapshot->id = id;
    webkit_web_view_get_snapshot(
        view_get(), WEBKIT_SNAPSHOT_REGION_VISIBLE, WEBKIT_SNAPSHOT_OPTIONS_NONE, NULL, on_snapshot, snapshot);
}
