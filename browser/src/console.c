#include "console.h"

#include "link.h"

#define NAME "vitrine-console" // web-process/console.c has it too
#define MODULES VITRINE_PREFIX "/lib/vitrine/web-process"

static const char *const levels[] = {"debug", "log", "info", "warn", "error"};

static WebKitWebView *view;
static gboolean is_wanted;
static gint64 left_out; // since the last message for the agent

// Without a reply. A process that starts now gets it at its start.
static void tell_page(void)
{
    webkit_web_view_send_message_to_page(
        view, webkit_user_message_new(NAME, g_variant_new_boolean(is_wanted)), NULL, NULL, NULL);
}

static void send(guint32 level, const char *text, const char *source, guint32 line)
{
    JsonObject *event =
        link_event("console", "level", levels[level], "text", text, "source", *source == '\0' ? NULL : source, NULL);
    if (line > 0)
        json_object_set_int_member(event, "line", line);
    else
        json_object_set_null_member(event, "line");
    json_object_set_int_member(event, "left_out", left_out);
    left_out = 0;
    link_send(event);
}

// The page may rule the process that sends this. GVariant gives valid UTF-8 for whatever bytes came.
static gboolean on_message(WebKitWebView *self, WebKitUserMessage *message, gpointer data)
{
    GVariant *fields = webkit_user_message_get_parameters(message);
    if (g_strcmp0(webkit_user_message_get_name(message), NAME) != 0 || !fields ||
        !g_variant_is_of_type(fields, G_VARIANT_TYPE("(ussuu)")))
        return FALSE;
    if (!is_wanted)
        return TRUE;
    guint32 level, line, omitted;
    const char *text, *source;
    g_variant_get(fields, "(u&s&suu)", &level, &text, &source, &line, &omitted);
    left_out += omitted;
    if (level >= G_N_ELEMENTS(levels) || link_is_congested())
        left_out++;
    else
        send(level, text, source, line);
    return TRUE;
}

// WebKit may show the next document in a process that started before the last change.
static void on_load(WebKitWebView *self, WebKitLoadEvent event, gpointer data)
{
    if (event == WEBKIT_LOAD_COMMITTED)
        tell_page();
}

static void on_process(WebKitWebContext *context, gpointer data)
{
    webkit_web_context_set_web_process_extensions_directory(context, MODULES);
    webkit_web_context_set_web_process_extensions_initialization_user_data(context, g_variant_new_boolean(is_wanted));
}

void console_prepare(WebKitWebContext *context)
{
    g_signal_connect(context, "initialize-web-process-extensions", G_CALLBACK(on_process), NULL);
}

void console_connect(WebKitWebView *created)
{
    view = created;
    g_signal_connect(view, "user-message-received", G_CALLBACK(on_message), NULL);
    g_signal_connect(view, "load-changed", G_CALLBACK(on_load), NULL);
}

void console_set(gboolean wanted)
{
    is_wanted = wanted;
    left_out = 0;
    if (view)
        tell_page();
}
