#include "vitrine.h"

#include <stdlib.h>

static const char *text_of(JsonObject *command, const char *key)
{
    return json_object_get_string_member_with_default(command, key, NULL);
}

static void on_pong(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autofree gint64 *id = data;
    // What was asked does not matter. A page that ended meanwhile is an event of its own.
    webkit_web_view_can_execute_editing_command_finish(WEBKIT_WEB_VIEW(source), result, NULL);
    link_send(link_answer(*id, TRUE));
}

// A question that the page's main thread answers, so a page that hangs does not. It runs no script: WebKit takes a
// script of ours for a person who uses the page, and lets the page do more from then on. The agent has the clock.
static void ping(gint64 id)
{
    webkit_web_view_can_execute_editing_command(
        view_get(), WEBKIT_EDITING_COMMAND_INSERT_IMAGE, NULL, on_pong, g_memdup2(&id, sizeof id));
}

static void on_encoded(GObject *image, GAsyncResult *result, gpointer data)
{
    g_autofree gint64 *id = data;
    g_autoptr(GError) error = NULL;
    g_autoptr(GInputStream) png = g_loadable_icon_load_finish(G_LOADABLE_ICON(image), result, NULL, &error);
    g_autoptr(GOutputStream) memory = g_memory_output_stream_new_resizable();
    if (!png || g_output_stream_splice(memory, png, G_OUTPUT_STREAM_SPLICE_NONE, NULL, &error) < 0) {
        link_fail(*id, "screenshot_failed", error->message);
        return;
    }
    GMemoryOutputStream *bytes = G_MEMORY_OUTPUT_STREAM(memory);
    g_autofree char *base64 =
        g_base64_encode(g_memory_output_stream_get_data(bytes), g_memory_output_stream_get_data_size(bytes));
    JsonObject *answer = link_answer(*id, TRUE);
    json_object_set_string_member(answer, "png", base64);
    link_send(answer);
}

static void on_snapshot(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autofree gint64 *id = data;
    g_autoptr(GError) error = NULL;
    g_autoptr(WebKitImage) image = webkit_web_view_get_snapshot_finish(WEBKIT_WEB_VIEW(source), result, &error);
    if (!image) {
        link_fail(*id, "screenshot_failed", error->message);
        return;
    }
    // Encodes as PNG, in a thread, and at the picture's own size whatever is asked for.
    g_loadable_icon_load_async(G_LOADABLE_ICON(image), 0, NULL, on_encoded, g_steal_pointer(&id));
}

static void screenshot(gint64 id)
{
    webkit_web_view_get_snapshot(view_get(), WEBKIT_SNAPSHOT_REGION_VISIBLE, WEBKIT_SNAPSHOT_OPTIONS_NONE, NULL,
        on_snapshot, g_memdup2(&id, sizeof id));
}

static void configure(gint64 id, JsonObject *command)
{
    gint64 limit = json_object_get_int_member_with_default(command, "memory_limit_mb", 0);
    Settings settings = {
        .user_agent = text_of(command, "user_agent"),
        .ignore_tls_errors = json_object_get_boolean_member_with_default(command, "ignore_tls_errors", FALSE),
        .memory_limit_mb = (guint)CLAMP(limit, 0, 1024 * 1024),
    };
    gboolean applied = view_configure(&settings);
    JsonObject *answer = link_answer(id, TRUE);
    json_object_set_boolean_member(answer, "restart_required", !applied);
    link_send(answer);
}

static void acknowledge(gint64 id)
{
    link_send(link_answer(id, TRUE));
}

void command_handle(JsonObject *command)
{
    const char *name = text_of(command, "command");
    gint64 id = json_object_get_int_member_with_default(command, "id", 0);
    if (!name || id <= 0) {
        link_fail(id, "bad_command", "command and id are required");
    } else if (g_str_equal(name, "configure")) {
        configure(id, command);
    } else if (g_str_equal(name, "quit")) {
        acknowledge(id);
        exit(0);
    } else if (!view_get()) {
        link_fail(id, "not_configured", "configure comes first");
    } else if (g_str_equal(name, "load") && text_of(command, "uri")) {
        acknowledge(id);
        view_load(id, text_of(command, "uri"), NULL);
    } else if (g_str_equal(name, "load_html") && text_of(command, "html") && text_of(command, "uri")) {
        acknowledge(id);
        view_load(id, text_of(command, "uri"), text_of(command, "html"));
    } else if (g_str_equal(name, "resource")) {
        acknowledge(id);
        resource_answer(json_object_get_int_member_with_default(command, "request", 0),
            text_of(command, "content_type"), text_of(command, "data"));
    } else if (g_str_equal(name, "reload")) {
        acknowledge(id);
        view_reload(id, json_object_get_boolean_member_with_default(command, "bypass_cache", FALSE));
    } else if (g_str_equal(name, "terminate_page")) {
        acknowledge(id);
        webkit_web_view_terminate_web_process(view_get());
    } else if (g_str_equal(name, "ping")) {
        ping(id);
    } else if (g_str_equal(name, "screenshot")) {
        screenshot(id);
    } else {
        link_fail(id, "bad_command", "unknown command, or an argument is missing");
    }
}
