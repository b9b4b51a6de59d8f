#include "vitrine.h"

#define WORLD "vitrine" // scripts of ours run apart from the page's

static const char *text_of(JsonObject *command, const char *key)
{
    JsonNode *node = json_object_get_member(command, key);
    return node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING
        ? json_node_get_string(node)
        : NULL;
}

static gint64 number_of(JsonObject *command, const char *key)
{
    JsonNode *node = json_object_get_member(command, key);
    return node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_INT64
        ? json_node_get_int(node)
        : 0;
}

static gboolean flag_of(JsonObject *command, const char *key)
{
    JsonNode *node = json_object_get_member(command, key);
    return node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_BOOLEAN
        && json_node_get_boolean(node);
}

static void on_pong(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autofree gint64 *id = data;
    g_autoptr(GError) error = NULL;
    g_autoptr(JSCValue) value =
        webkit_web_view_evaluate_javascript_finish(WEBKIT_WEB_VIEW(source), result, &error);
    if (!value) {
        link_fail(*id, "page_gone", error->message);
        return;
    }
    JsonBuilder *answer = link_answer(*id, TRUE);
    link_number(answer, "frames", (gint64)view_frames());
    link_send(answer);
}

// The page's main thread answers, so a page that hangs does not. The agent has the clock.
static void ping(gint64 id)
{
    gint64 *box = g_new(gint64, 1);
    *box = id;
    webkit_web_view_evaluate_javascript(view_get(), "1", -1, WORLD, NULL, NULL, on_pong, box);
}

static void configure(gint64 id, JsonObject *command)
{
    Settings settings = {
        .user_agent = text_of(command, "user_agent"),
        .ignore_tls_errors = flag_of(command, "ignore_tls_errors"),
        .memory_limit_mb = (guint)CLAMP(number_of(command, "memory_limit_mb"), 0, 1024 * 1024),
    };
    gboolean applied = view_configure(&settings);
    JsonBuilder *answer = link_answer(id, TRUE);
    link_flag(answer, "restart_required", !applied);
    link_send(answer);
}

static void acknowledge(gint64 id)
{
    link_send(link_answer(id, TRUE));
}

void command_handle(JsonObject *command)
{
    const char *name = text_of(command, "command");
    gint64 id = number_of(command, "id");
    if (!name || id <= 0) {
        link_fail(id, "bad_command", "command and id are required");
    } else if (g_str_equal(name, "configure")) {
        configure(id, command);
    } else if (g_str_equal(name, "quit")) {
        acknowledge(id);
        quit(0);
    } else if (g_str_equal(name, "outputs")) {
        outputs_list(id);
    } else if (g_str_equal(name, "rotate") && text_of(command, "output")) {
        outputs_rotate(id, text_of(command, "output"), number_of(command, "degrees"));
    } else if (!view_get()) {
        link_fail(id, "not_configured", "configure comes first");
    } else if (g_str_equal(name, "load") && text_of(command, "uri")) {
        acknowledge(id);
        view_load(id, text_of(command, "uri"));
    } else if (g_str_equal(name, "load_html") && text_of(command, "html") && text_of(command, "uri")) {
        acknowledge(id);
        view_load_html(id, text_of(command, "html"), text_of(command, "uri"));
    } else if (g_str_equal(name, "reload")) {
        acknowledge(id);
        view_reload(id, flag_of(command, "bypass_cache"));
    } else if (g_str_equal(name, "terminate_page")) {
        acknowledge(id);
        webkit_web_view_terminate_web_process(view_get());
    } else if (g_str_equal(name, "ping")) {
        ping(id);
    } else if (g_str_equal(name, "screenshot")) {
        snapshot_take(id);
    } else {
        link_fail(id, "bad_command", "unknown command, or an argument is missing");
    }
}
