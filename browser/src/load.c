#include "load.h"

#include "document.h"
#include "frame.h"
#include "link.h"

#include <string.h>

// After a navigation of the page was refused, how long the agent's load may take to start, in ms.
#define PENDING_MS 500
// How long the end of a load waits for the first frame, in ms: there may be no screen that shows one.
#define FRAME_MS 5000
// A page may change its address thousands of times a second.
#define MOVES_EVERY_MS 250

static WebKitWebView *view;
static void (*on_page_left)(void);
static gint64 pending_id;           // the agent's load that WebKit has not started yet; 0: none
static gboolean is_pending_allowed; // WebKit has asked for the policy of that load: it starts next
static guint pending_timer;         // runs out when that load should have started
static gint64 current_id;  // the agent's load that is in progress or done; 0: the page's, or an earlier agent's
static char *expected_uri; // that the agent asked for, until a page is there
static char *replaced_uri; // that the agent asked for before, without an answer of WebKit; NULL: none
static char *loading_uri;  // of the agent's load that has started
static char *page_uri;     // of the page's last navigation, which may end after the agent's load has started
static guint finish_timer; // the load has ended, and its end is reported with the first frame
static guint move_timer;   // the address within the document is to be reported

// The current load.
static guint http_status;
static gboolean needs_auth; // its document is the server's answer to a client without a password
static gboolean is_redirected;
static gboolean is_committed; // its document is there
static gboolean is_painted;   // a frame has been shown since then
static gboolean has_failed;   // which has been reported
static gboolean is_cancelled; // the next event that ends a load belongs to a cancelled one

const char *load_expected_uri(void)
{
    return expected_uri;
}

void load_set_status(guint status, gboolean asks_for_password)
{
    http_status = status;
    needs_auth = asks_for_password;
}

static void send_load(const char *state, const char *uri)
{
    JsonObject *event = link_event("load", "state", state, "uri", uri, NULL);
    json_object_set_int_member(event, "load", current_id);
    json_object_set_int_member(event, "status", http_status);
    json_object_set_boolean_member(event, "authentication_required", needs_auth);
    link_send(event);
}

// Whether no load is in progress or asked for.
static gboolean is_idle(void)
{
    return pending_id == 0 && !webkit_web_view_is_loading(view);
}

static void forget_pending(void)
{
    pending_id = 0;
    is_pending_allowed = FALSE;
    g_clear_handle_id(&pending_timer, g_source_remove);
}

static void on_finish_timeout(gpointer data)
{
    finish_timer = 0;
    send_load("finished", document_uri());
}

// Reports the end of a load that waits for its first frame.
static void finish_now(void)
{
    if (!finish_timer)
        return;
    g_clear_handle_id(&finish_timer, g_source_remove);
    on_finish_timeout(NULL);
}

// Until WebKit has asked for the policy of the agent's load, what starts is an earlier navigation of the page, although
// WebKit already names the agent's URI.
static void on_started(void)
{
    finish_now();
    current_id = is_pending_allowed ? pending_id : 0;
    if (is_pending_allowed)
        forget_pending();
    is_redirected = is_committed = is_cancelled = has_failed = needs_auth = FALSE;
    http_status = 0;
}

static void report_failure(const char *kind, const char *uri, const char *message)
{
    has_failed = TRUE;
    JsonObject *event = link_event("load_failed", "uri", uri, "kind", kind, "message", message, NULL);
    json_object_set_int_member(event, "load", current_id);
    link_send(event);
}

// Whether both are addresses in the same document.
static gboolean is_same_document(const char *one, const char *other)
{
    gsize length = strcspn(one, "#");
    return length == strcspn(other, "#") && strncmp(one, other, length) == 0;
}

void load_fail(const char *kind, const char *uri, const char *message)
{
    gboolean is_other =
        page_uri && is_same_document(uri, page_uri) && !(loading_uri && is_same_document(uri, loading_uri));
    if (!(is_other && current_id && !is_committed))
        report_failure(kind, uri, message);
}

void load_refuse_redirect(const char *uri)
{
    if (current_id && !is_committed)
        report_failure("policy", uri, "the address leads to one that may not be shown");
}

// The page on the screen prevented the agent's load. The agent ends such a page.
static void report_stop_by_page(void)
{
    report_failure("cancelled", expected_uri, "the page on the screen stopped it");
    current_id = 0;
}

static void on_committed(void)
{
    on_page_left();
    // Not earlier: before the commit WebKit already names the page that is being loaded.
    document_set_uri(webkit_web_view_get_uri(view));
    if (current_id && expected_uri && !is_redirected && g_strcmp0(document_uri(), expected_uri) != 0)
        report_stop_by_page(); // the page has put another document in the place of the agent's
    if (!pending_id)
        g_clear_pointer(&expected_uri, g_free); // otherwise this is an earlier load, started by the page
    is_committed = TRUE;
    is_painted = FALSE;
    // Pages that set no background expect white. None must flash up white before its style is loaded, and the agent's
    // own page is dark.
    if (document_is_ours())
        frame_set_background(0.0);
    else
        frame_whiten_with_content();
}

// Whether the end of a load has been reported, or belongs to the previous load: its process may report the end after
// another load has begun. A load that its own page stopped is finished.
static gboolean ignores_end(void)
{
    gboolean ignored = has_failed || (is_cancelled && !is_idle()) || !is_committed;
    is_cancelled = FALSE;
    return ignored;
}

static void on_load(WebKitWebView *self, WebKitLoadEvent event, gpointer data)
{
    static const char *const names[] = {"started", "redirected", "committed", "finished"};
    if (event == WEBKIT_LOAD_STARTED)
        on_started();
    if (event == WEBKIT_LOAD_STARTED || event == WEBKIT_LOAD_REDIRECTED)
        g_set_str(&loading_uri, webkit_web_view_get_uri(self));
    is_redirected |= event == WEBKIT_LOAD_REDIRECTED;
    if (event == WEBKIT_LOAD_COMMITTED)
        on_committed();
    if (event == WEBKIT_LOAD_FINISHED)
        frame_content_complete();
    if (event == WEBKIT_LOAD_FINISHED && ignores_end()) {
        if (current_id && !is_committed && !has_failed && is_idle())
            report_stop_by_page();
        return;
    }
    if (event == WEBKIT_LOAD_FINISHED && !is_painted &&
        wpe_display_get_n_screens(webkit_web_view_get_display(self)) > 0) {
        finish_timer = g_timeout_add_once(FRAME_MS, on_finish_timeout, NULL);
        return;
    }
    send_load(names[event], webkit_web_view_get_uri(self));
}

// TRUE keeps WebKit from loading an error page of its own under the same URI.
static gboolean on_load_failed(WebKitWebView *self, WebKitLoadEvent event, char *uri, GError *error, gpointer data)
{
    if (has_failed)
        return TRUE; // already reported, with the real reason
    // Usually a newer load replaced this one. The newer one may be the current load already, and can still fail.
    if (g_error_matches(error, WEBKIT_NETWORK_ERROR, WEBKIT_NETWORK_ERROR_CANCELLED)) {
        is_cancelled = TRUE;
        if (!is_committed && is_idle() && (current_id == 0 || g_strcmp0(uri, loading_uri) == 0))
            load_fail("cancelled", uri, "the page on the screen stopped it");
        return TRUE;
    }
    // A video or an audio file: its document, with a player in it, is there.
    if (g_error_matches(error, WEBKIT_MEDIA_ERROR, WEBKIT_MEDIA_ERROR_WILL_HANDLE_LOAD))
        return TRUE;
    gboolean policy = error->domain == WEBKIT_POLICY_ERROR;
    // The page interrupted it: our own policy would have been reported already.
    if (g_error_matches(error, WEBKIT_POLICY_ERROR, WEBKIT_POLICY_ERROR_FRAME_LOAD_INTERRUPTED_BY_POLICY_CHANGE) &&
        current_id && loading_uri && is_same_document(uri, loading_uri)) {
        report_stop_by_page();
        return TRUE;
    }
    load_fail(policy ? "policy" : "network", uri, error->message);
    return TRUE;
}

static gboolean on_tls_failed(
    WebKitWebView *self, char *uri, GTlsCertificate *certificate, GTlsCertificateFlags errors, gpointer data)
{
    // In the order of the flags' bits. The highest one set is reported: an expired certificate's issuer hardly matters.
    static const char *const reasons[] = {
        "the certificate's issuer is not trusted", // G_TLS_CERTIFICATE_UNKNOWN_CA
        "the certificate is for another name",     // G_TLS_CERTIFICATE_BAD_IDENTITY
        "the certificate is not valid yet",        // G_TLS_CERTIFICATE_NOT_ACTIVATED
        "the certificate has expired",             // G_TLS_CERTIFICATE_EXPIRED
        "the certificate was revoked",             // G_TLS_CERTIFICATE_REVOKED
    };
    gint bit = g_bit_nth_msf(errors & ((1 << G_N_ELEMENTS(reasons)) - 1), -1);
    load_fail("tls", uri, bit >= 0 ? reasons[bit] : "the certificate was refused");
    return TRUE;
}

static void on_terminated(WebKitWebView *self, WebKitWebProcessTerminationReason reason, gpointer data)
{
    const char *name = "crashed";
    if (reason == WEBKIT_WEB_PROCESS_EXCEEDED_MEMORY_LIMIT)
        name = "memory";
    else if (reason == WEBKIT_WEB_PROCESS_TERMINATED_BY_API)
        name = "terminated";
    on_page_left();
    g_clear_handle_id(&finish_timer, g_source_remove);
    link_send(link_event("page_gone", "reason", name, "uri", document_uri(), NULL));
    document_set_uri(NULL);
}

void load_frame_shown(void)
{
    if (is_painted || !document_uri())
        return;
    is_painted = TRUE;
    JsonObject *event = link_event("painted", "uri", document_uri(), NULL);
    json_object_set_int_member(event, "load", current_id);
    link_send(event);
    finish_now();
}

static void on_moved(gpointer data)
{
    move_timer = 0;
    if (is_committed && !pending_id)
        link_send(link_event("moved", "uri", webkit_web_view_get_uri(view), NULL));
}

// A script changed the address, or it is the one of the next document.
static void on_uri(WebKitWebView *self, GParamSpec *property, gpointer data)
{
    if (is_committed && !pending_id && !move_timer)
        move_timer = g_timeout_add_once(MOVES_EVERY_MS, on_moved, NULL);
}

void load_connect(WebKitWebView *self, void (*page_left)(void))
{
    view = self;
    on_page_left = page_left;
    frame_set_background(0.0); // no white flash between the boot picture and the first page
    g_signal_connect(view, "load-changed", G_CALLBACK(on_load), NULL);
    g_signal_connect(view, "notify::uri", G_CALLBACK(on_uri), NULL);
    g_signal_connect(view, "load-failed", G_CALLBACK(on_load_failed), NULL);
    g_signal_connect(view, "load-failed-with-tls-errors", G_CALLBACK(on_tls_failed), NULL);
    g_signal_connect(view, "web-process-terminated", G_CALLBACK(on_terminated), NULL);
}

// The next agent counts from 1 again, and must not take an earlier one's load for its own.
void load_agent_lost(void)
{
    forget_pending();
    current_id = 0;
}

static void on_pending_timeout(gpointer data)
{
    pending_timer = 0;
    current_id = pending_id;
    forget_pending();
    report_stop_by_page();
}

gboolean load_may_begin(const char *uri, gboolean is_new, gboolean is_redirect)
{
    gboolean is_agent_loading = current_id && expected_uri && !is_committed && !has_failed;
    if (!pending_id && !is_agent_loading) {
        g_set_str(&page_uri, uri);
        return TRUE;
    }
    if (is_redirect)
        return !pending_id || is_pending_allowed;
    if (is_new && g_strcmp0(uri, expected_uri) == 0) {
        is_pending_allowed = pending_id != 0;
        return TRUE;
    }
    // WebKit may have dropped the agent's load for this one, which it does not report. Not for an earlier load of the
    // agent: that one only waited for its process, and the agent's load comes next.
    if (pending_id && !pending_timer && g_strcmp0(uri, replaced_uri) != 0)
        pending_timer = g_timeout_add_once(PENDING_MS, on_pending_timeout, NULL);
    return FALSE;
}

// Loads are compared by the URI as WebKit writes it.
static void expect(gint64 id)
{
    g_clear_pointer(&replaced_uri, g_free);
    if (pending_id && !is_pending_allowed)
        replaced_uri = g_steal_pointer(&expected_uri);
    forget_pending();
    pending_id = id;
    g_set_str(&expected_uri, webkit_web_view_get_uri(view));
}

// Whether `uri` names another place in the document on the screen, whose script may have changed its address.
static gboolean is_other_fragment(const char *uri)
{
    const char *fragment = strchr(uri, '#');
    const char *here = is_committed || is_idle() ? webkit_web_view_get_uri(view) : document_uri();
    if (!document_uri() || !here || has_failed || !fragment || g_str_equal(here, uri))
        return FALSE;
    gsize length = (gsize)(fragment - uri);
    return strncmp(here, uri, length) == 0 && (here[length] == '#' || here[length] == '\0');
}

void load_uri(gint64 id, const char *uri, const char *html)
{
    if (!html && is_other_fragment(uri)) {
        // WebKit moves within the document and reports no load.
        current_id = id;
        document_set_uri(uri);
        webkit_web_view_load_uri(view, uri);
        send_load("committed", uri);
        send_load("finished", uri);
        return;
    }
    if (html)
        webkit_web_view_load_html(view, html, uri);
    else
        webkit_web_view_load_uri(view, uri);
    expect(id);
}

void load_again(gint64 id, gboolean bypass_cache)
{
    if (bypass_cache)
        webkit_web_view_reload_bypass_cache(view);
    else
        webkit_web_view_reload(view);
    expect(id);
}
