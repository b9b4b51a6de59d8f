#include "evaluate.h"

#include "document.h"
#include "json.h"
#include "scripts.h"

#include <string.h>

#define MAX_RESULT (4u * 1024 * 1024)     // of a script, as JSON in UTF-8; result.js has it too
#define MAX_RUNNING 8                     // each may be answered with MAX_RESULT
#define UNREACHABLE "no longer reachable" // in WebKit's message
#define SOURCE_URI "vitrine:script"       // result.js has it too
// The script is the body of an inner function, so that its exceptions and its `return` are caught here. WebKit puts
// WEBKIT_PREFIX before it; columns of the first line are counted from the script's own start.
#define WEBKIT_PREFIX "(async function(){"
#define PREFIX "try{return __vitrineReport(true,await(async()=>{"
#define SUFFIX "\n})())}catch(error){return __vitrineReport(false,error,%zu)}"

typedef struct {
    Call call;
    guint timer;
    gboolean is_answered, has_returned; // both: it can be freed
} Evaluation;

static WebKitWebView *view;
static GPtrArray *running; // evaluations without an answer

static void release(Evaluation *evaluation)
{
    if (evaluation->is_answered && evaluation->has_returned)
        g_free(evaluation);
}

// The caller answers the call; the evaluation may be freed.
static Call finish(Evaluation *evaluation)
{
    Call call = evaluation->call;
    g_ptr_array_remove_fast(running, evaluation);
    g_source_remove(evaluation->timer);
    evaluation->is_answered = TRUE;
    release(evaluation);
    return call;
}

static gboolean on_timeout(gpointer data)
{
    link_fail(finish(data), "timeout", "the script did not end in time; it may still be running");
    return G_SOURCE_CONTINUE; // finish has removed it
}

// Exceptions that result.js does not see: mostly syntax errors, whose text is "vitrine:script:LINE: MESSAGE".
static void answer_exception(Call call, const char *text)
{
    g_autoptr(JsonObject) exception = json_object_new();
    guint64 line = 0;
    if (g_str_has_prefix(text, SOURCE_URI ":")) {
        char *end;
        line = g_ascii_strtoull(text + strlen(SOURCE_URI ":"), &end, 10);
        text = g_str_has_prefix(end, ": ") ? end + 2 : end;
    }
    json_object_set_string_member(exception, "message", text);
    if (line > 0)
        json_object_set_int_member(exception, "line", (gint64)line);
    else
        json_object_set_null_member(exception, "line");
    json_object_set_null_member(exception, "column");
    link_answer_text(call, "exception", object_to_text(exception));
}

static void answer_report(Call call, const char *report)
{
    if (report[0] == 'l' || strlen(report) > MAX_RESULT + 1)
        link_fail(call, "too_large", "the result has more than 4 MiB of JSON");
    else if (report[0] == 'v')
        link_answer_text(call, "value", g_utf8_make_valid(report + 1, -1));
    else if (report[0] == 'e')
        link_answer_text(call, "exception", g_utf8_make_valid(report + 1, -1));
    else
        answer_exception(call, "the page replaced the result");
}

// Whether the script's process ended, or its promise was garbage-collected because nothing can settle it any more,
// mostly because its page is being left.
static gboolean was_cut_off(GError *error)
{
    return g_error_matches(error, WEBKIT_JAVASCRIPT_ERROR, WEBKIT_JAVASCRIPT_ERROR_INVALID_RESULT) ||
        strstr(error->message, UNREACHABLE);
}

static void on_evaluated(GObject *source, GAsyncResult *result, gpointer data)
{
    Evaluation *evaluation = data;
    g_autoptr(GError) error = NULL;
    g_autoptr(JSCValue) value =
        webkit_web_view_call_async_javascript_function_finish(WEBKIT_WEB_VIEW(source), result, &error);
    evaluation->has_returned = TRUE;
    if (evaluation->is_answered) {
        release(evaluation);
        return;
    }
    if (error && was_cut_off(error))
        return; // page_gone, the commit of the next page or the timeout answers
    g_autofree char *report = value && jsc_value_is_string(value) ? jsc_value_to_string(value) : NULL;
    Call call = finish(evaluation);
    if (report)
        answer_report(call, report);
    else
        answer_exception(call, error ? error->message : "the page replaced the result");
}

void evaluate(Call call, const char *body, guint timeout_ms)
{
    if (running->len >= MAX_RUNNING) {
        link_fail(call, "busy", "too many scripts are running");
        return;
    }
    if (!document_uri()) {
        link_fail(call, "no_page", "no page is loaded");
        return;
    }
    Evaluation *evaluation = g_new0(Evaluation, 1);
    evaluation->call = call;
    evaluation->timer = g_timeout_add(timeout_ms, on_timeout, evaluation);
    g_ptr_array_add(running, evaluation);
    g_autofree char *suffix = g_strdup_printf(SUFFIX, strlen(WEBKIT_PREFIX PREFIX));
    g_autofree char *function = g_strconcat(PREFIX, body, suffix, NULL);
    webkit_web_view_call_async_javascript_function(
        view, function, -1, NULL, NULL, SOURCE_URI, NULL, on_evaluated, evaluation);
}

void evaluate_interrupt(void)
{
    while (running && running->len > 0) {
        Call call = finish(g_ptr_array_index(running, 0));
        link_fail(call, "interrupted", "the page was left or the connection lost before the script ended");
    }
}

void evaluate_connect(WebKitWebView *self)
{
    view = self;
    running = g_ptr_array_new();
    g_autoptr(WebKitUserScript) script = webkit_user_script_new(
        RESULT_SCRIPT, WEBKIT_USER_CONTENT_INJECT_TOP_FRAME, WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, NULL, NULL);
    webkit_user_content_manager_add_script(webkit_web_view_get_user_content_manager(view), script);
}
