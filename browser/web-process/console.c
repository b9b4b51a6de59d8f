// Module of WebKit's web processes: sends the messages of the page's console to the browser while the agent wants them
// (PROTOCOL.md). The limits are kept here, so that a page that floods its console costs nobody else anything.
#include "limits.h"
#include "scripts.h"

#include <wpe/webkit-web-process-extension.h>

#define NAME "vitrine-console" // of the messages in both directions
#define RETRY_MS 250
#define MAX_NESTED 3 // calls within calls whose arguments are all turned into text

static const WebKitConsoleMessageLevel levels[] = {WEBKIT_CONSOLE_MESSAGE_LEVEL_DEBUG, WEBKIT_CONSOLE_MESSAGE_LEVEL_LOG,
    WEBKIT_CONSOLE_MESSAGE_LEVEL_INFO, WEBKIT_CONSOLE_MESSAGE_LEVEL_WARNING, WEBKIT_CONSOLE_MESSAGE_LEVEL_ERROR};

static gboolean is_wanted;
static const char *whole_text; // of the call that runs now, with all arguments; NULL: WebKit's text is all
static ConsoleBudget budget = {CONSOLE_AT_ONCE, 0};
static guint32 left_out; // messages since the last one that was sent

static WebKitFrame *top;      // frame of the page, once a script can run there
static gboolean is_installed; // the methods of its document lead here

// The latest message, until it may be sent. Without a text: there is none.
static WebKitWebPage *page;
static char *text, *source;
static guint32 level, line;
static guint timer;

static void forget(void)
{
    g_clear_weak_pointer(&page);
    g_clear_pointer(&text, g_free);
    g_clear_pointer(&source, g_free);
}

static gboolean on_retry(gpointer data);

// Sends the latest message, now or when the budget has grown. A further one replaces it meanwhile.
static void send_latest(void)
{
    if (!console_budget_take(&budget, strlen(text) + strlen(source), g_get_monotonic_time())) {
        if (!timer)
            timer = g_timeout_add(RETRY_MS, on_retry, NULL);
        return;
    }
    if (page)
        webkit_web_page_send_message_to_view(page,
            webkit_user_message_new(NAME, g_variant_new("(ussuu)", level, text, source, line, left_out)), NULL, NULL,
            NULL);
    left_out = 0;
    forget();
}

static gboolean on_retry(gpointer data)
{
    timer = 0;
    if (text)
        send_latest();
    return G_SOURCE_REMOVE;
}

static void on_console(WebKitWebPage *self, WebKitConsoleMessage *message, gpointer data)
{
    if (!is_wanted)
        return;
    if (text)
        left_out++;
    forget();
    gboolean is_call = webkit_console_message_get_source(message) == WEBKIT_CONSOLE_MESSAGE_SOURCE_CONSOLE_API;
    text = console_text(is_call && whole_text ? whole_text : webkit_console_message_get_text(message));
    source = console_text(webkit_console_message_get_source_id(message));
    line = webkit_console_message_get_line(message);
    level = 0;
    while (level < G_N_ELEMENTS(levels) - 1 && levels[level] != webkit_console_message_get_level(message))
        level++;
    g_set_weak_pointer(&page, self);
    send_latest();
}

// The texts of a call's arguments, which follow the method. Asking for them runs code of the page, which may throw.
static char *text_of(GPtrArray *arguments)
{
    GString *all = g_string_new(NULL);
    for (guint i = 1; i < arguments->len && all->len < CONSOLE_TEXT; i++) {
        g_autofree char *one = jsc_value_to_string(g_ptr_array_index(arguments, i));
        jsc_context_clear_exception(jsc_context_get_current());
        if (i > 1)
            g_string_append_c(all, ' ');
        g_string_append(all, one ? one : "(no text)");
    }
    return g_string_free_and_steal(all);
}

// Called by the page in place of a method of its console, which is the first argument. WebKit's message comes from
// within.
static JSCValue *on_call(GPtrArray *arguments, gpointer data)
{
    JSCValue *method = arguments->len > 0 ? g_ptr_array_index(arguments, 0) : NULL;
    if (!method || !jsc_value_is_function(method))
        return jsc_value_new_undefined(jsc_context_get_current());
    // An argument's text can come from a function that calls the console again, and WebKit asks for it a second time:
    // without a bound, the work would double with each level.
    static guint nested;
    const char *outer = whole_text;
    nested++;
    g_autofree char *all = is_wanted && arguments->len > 2 && nested <= MAX_NESTED ? text_of(arguments) : NULL;
    whole_text = all;
    JSCValue *result = jsc_value_function_callv(method, arguments->len - 1, (JSCValue **)arguments->pdata + 1);
    whole_text = outer;
    nested--;
    return result;
}

static void install(WebKitFrame *frame)
{
    g_autoptr(JSCContext) context = webkit_frame_get_js_context(frame);
    g_autoptr(JSCValue) relay =
        jsc_value_new_function_variadic(context, "log", G_CALLBACK(on_call), NULL, NULL, JSC_TYPE_VALUE);
    g_autoptr(JSCValue) script = jsc_context_evaluate(context, CONSOLE_SCRIPT, -1);
    if (jsc_value_is_function(script))
        g_object_unref(jsc_value_function_call(script, JSC_TYPE_VALUE, relay, G_TYPE_NONE));
    jsc_context_clear_exception(context); // a page may have broken its console before
}

static void on_document(WebKitScriptWorld *world, WebKitWebPage *self, WebKitFrame *frame, gpointer data)
{
    if (webkit_frame_is_main_frame(frame)) {
        g_set_weak_pointer(&top, frame);
        is_installed = is_wanted;
    }
    if (is_wanted)
        install(frame);
}

// The document that is there keeps the methods when nobody wants messages any more; a second time would add to them.
static gboolean on_switched(WebKitWebPage *self, WebKitUserMessage *message, gpointer data)
{
    GVariant *wanted = webkit_user_message_get_parameters(message);
    if (g_strcmp0(webkit_user_message_get_name(message), NAME) != 0 || !wanted ||
        !g_variant_is_of_type(wanted, G_VARIANT_TYPE_BOOLEAN))
        return FALSE;
    is_wanted = g_variant_get_boolean(wanted);
    if (!is_wanted) {
        left_out = 0;
        forget();
    } else if (top && !is_installed) {
        is_installed = TRUE;
        install(top);
    }
    return TRUE;
}

static void on_page(WebKitWebProcessExtension *extension, WebKitWebPage *self, gpointer data)
{
    g_signal_connect(self, "user-message-received", G_CALLBACK(on_switched), NULL);
    g_signal_connect(self, "console-message-sent", G_CALLBACK(on_console), NULL);
}

// WebKit calls it by this name. @data: whether messages are wanted already.
void webkit_web_process_extension_initialize_with_user_data(WebKitWebProcessExtension *extension, GVariant *data);
void webkit_web_process_extension_initialize_with_user_data(WebKitWebProcessExtension *extension, GVariant *data)
{
    is_wanted = data && g_variant_is_of_type(data, G_VARIANT_TYPE_BOOLEAN) && g_variant_get_boolean(data);
    g_signal_connect(extension, "page-created", G_CALLBACK(on_page), NULL);
    g_signal_connect(webkit_script_world_get_default(), "window-object-cleared", G_CALLBACK(on_document), NULL);
}
