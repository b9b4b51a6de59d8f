#include "commands.h"

#include "channels.h"
#include "console.h"
#include "devices.h"
#include "evaluate.h"
#include "frame.h"
#include "json.h"
#include "keyboard-keys.h"
#include "keyboard.h"
#include "link.h"
#include "load.h"
#include "notice.h"
#include "resource.h"
#include "screenshot.h"
#include "seat.h"
#include "view.h"

#include <stdlib.h>

#define MAX_TIMEOUT_MS (10 * 60 * 1000)

static void on_pong(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autofree Call *call = data;
    // The result does not matter. A page that ended meanwhile is an event of its own.
    webkit_web_view_can_execute_editing_command_finish(WEBKIT_WEB_VIEW(source), result, NULL);
    link_answer(*call, NULL);
}

// Asks a question that the page's main thread answers, so a page that hangs gives no answer. It runs no script, which
// WebKit would count as a use of the page by a person: then the page may do more. The agent has the timeout.
static void ask_page(Call call)
{
    webkit_web_view_can_execute_editing_command(
        view_get(), WEBKIT_EDITING_COMMAND_INSERT_IMAGE, NULL, on_pong, g_memdup2(&call, sizeof call));
}

static void ping(Call call, JsonObject *command)
{
    if (is_set(command, "after_input"))
        seat_settle(webkit_web_view_get_wpe_view(view_get()), ask_page, call);
    else
        ask_page(call);
}

static void take_screenshot(Call call, JsonObject *command)
{
    screenshot(call);
}

static void configure(Call call, JsonObject *command)
{
    Settings settings = {
        .user_agent = text_of(command, "user_agent"),
        .languages = array_of(command, "languages"),
        .ignore_tls_errors = is_set(command, "ignore_tls_errors"),
        .memory_limit_mb = (guint)CLAMP(number_of(command, "memory_limit_mb"), 0, 1024 * 1024),
        .inspector_port = (guint)CLAMP(number_of(command, "inspector_port"), 0, G_MAXUINT16),
        .proxy = object_of(command, "proxy"),
        .permissions = array_of(command, "permissions"),
        .text_selection = is_set(command, "text_selection"),
        .zoom = is_set(command, "zoom"),
        .pointer = text_of(command, "pointer"),
    };
    gboolean applied = view_configure(&settings);
    JsonObject *fields = json_object_new();
    json_object_set_boolean_member(fields, "restart_required", !applied);
    link_answer(call, fields);
}

static void keyboard(Call call, JsonObject *command)
{
    guint languages[MAX_LANGUAGES], count = 0;
    JsonArray *layouts = array_of(command, "layouts");
    for (guint i = 0; layouts && i < json_array_get_length(layouts) && count < MAX_LANGUAGES; i++) {
        JsonNode *name = json_array_get_element(layouts, i);
        int language = language_find(JSON_NODE_HOLDS_VALUE(name) ? json_node_get_string(name) : NULL);
        if (language >= 0)
            languages[count++] = (guint)language;
    }
    keyboard_configure(is_set(command, "enabled"), languages, count);
    link_answer(call, NULL);
}

static void notice(Call call, JsonObject *command)
{
    const char *text = text_of(command, "text");
    if (text && g_utf8_strlen(text, -1) > NOTICE_CHARACTERS) {
        link_fail(call, "bad_command", "the text is too long");
        return;
    }
    notice_set(text);
    link_answer(call, NULL);
}

static void console(Call call, JsonObject *command)
{
    console_set(is_set(command, "enabled"));
    link_answer(call, NULL);
}

static void devices(Call call, JsonObject *command)
{
    JsonArray *origins = array_of(command, "origins");
    if (origins && devices_serve(origins, text_of(command, "script")))
        link_answer(call, NULL);
    else
        link_fail(call, "bad_command", "no list of origins, or the list or the script is too long");
}

static void load(Call call, JsonObject *command)
{
    link_answer(call, NULL);
    load_uri(call.id, text_of(command, "uri"), text_of(command, "html"));
}

static void reload(Call call, JsonObject *command)
{
    link_answer(call, NULL);
    load_again(call.id, is_set(command, "bypass_cache"));
}

static void resource(Call call, JsonObject *command)
{
    link_answer(call, NULL);
    resource_answer(number_of(command, "request"), text_of(command, "content_type"), text_of(command, "data"));
}

static void terminate_page(Call call, JsonObject *command)
{
    link_answer(call, NULL);
    webkit_web_view_terminate_web_process(view_get());
}

static void run_script(Call call, JsonObject *command)
{
    evaluate(call, text_of(command, "body"), (guint)CLAMP(number_of(command, "timeout_ms"), 1, MAX_TIMEOUT_MS));
}

static void message(Call call, JsonObject *command)
{
    channels_send(call, number_of(command, "channel"), text_of(command, "data"));
}

static void credit(Call call, JsonObject *command)
{
    link_answer(call, NULL);
    channels_credit(number_of(command, "channel"), number_of(command, "size"));
}

static void frame(Call call, JsonObject *command)
{
    frame_check(call);
}

static void quit(Call call, JsonObject *command)
{
    link_answer(call, NULL);
    exit(0);
}

static const struct {
    const char *name;
    void (*run)(Call call, JsonObject *command);
    gboolean needs_view;
    const char *texts[2]; // required members
} commands[] = {
    {"configure", configure, FALSE, {0}},
    {"keyboard", keyboard, FALSE, {0}},
    {"notice", notice, FALSE, {0}},
    {"console", console, FALSE, {0}},
    {"devices", devices, FALSE, {"script"}},
    {"load", load, TRUE, {"uri"}},
    {"load_html", load, TRUE, {"uri", "html"}},
    {"reload", reload, TRUE, {0}},
    {"resource", resource, TRUE, {0}},
    {"evaluate", run_script, TRUE, {"body"}},
    {"message", message, TRUE, {"data"}},
    {"credit", credit, TRUE, {0}},
    {"terminate_page", terminate_page, TRUE, {0}},
    {"ping", ping, TRUE, {0}},
    {"frame", frame, TRUE, {0}},
    {"screenshot", take_screenshot, TRUE, {0}},
    {"quit", quit, FALSE, {0}},
};

void command_handle(JsonObject *command)
{
    Call call = link_call(number_of(command, "id"));
    const char *name = text_of(command, "command");
    if (!name || call.id <= 0) {
        link_fail(call, "bad_command", "command and id are required");
        return;
    }
    for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
        if (!g_str_equal(name, commands[i].name))
            continue;
        for (guint k = 0; k < G_N_ELEMENTS(commands[i].texts); k++)
            if (commands[i].texts[k] && !text_of(command, commands[i].texts[k])) {
                link_fail(call, "bad_command", "a member is missing");
                return;
            }
        if (commands[i].needs_view && !view_get())
            link_fail(call, "not_configured", "configure must come first");
        else
            commands[i].run(call, command);
        return;
    }
    link_fail(call, "bad_command", "unknown command");
}
