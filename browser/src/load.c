#include "vitrine.h"

#include <string.h>

// After a navigation of the page was refused, how long the agent's load may take to start, in ms.
#define SWALLOWED_MS 500
// How long the end of a load waits for the first frame, in ms: there may be no screen that shows one.
#define FRAME_MS 5000
// A page may change its address thousands of times a second.
#define MOVES_EVERY_MS 250

static WebKitWebView *view;
static void (*on_page_left)(void);
static char *committed;     // URI of the document on the screen
static gint64 asked;        // the agent's load that WebKit has not started yet
static gboolean allowed;    // WebKit has asked for the policy of that load: what starts next is that load
static guint swallowed;     // timer: that load should have started
static gint64 current;      // the agent's load that is in progress or done; 0: the page's own, or of an earlier agent
static char *expected;      // URI that the agent asked for, until a page is there
static gboolean redirected; // the current load
static char *coming;        // URI of the agent's load that has started
static char *others;        // URI of the page's last navigation: it may end after the agent's load has started
static guint http_status;   // of the document that is being loaded
static gboolean denied;     // that document is the answer to a client without a password
static gboolean arrived;    // the document of the current load is there
static gboolean cancelled;  // the next end of a load is the end of a cancelled one
static gboolean failed;     // the current load has been reported as failed
static gboolean painted;    // a frame was shown since the last commit
static guint unpainted;     // timer: the load has ended, and its end is reported with the first frame

const char *load_committed_uri(void)
{
    return committed;
}

const char *load_expected_uri(void)
{
    return expected;
}

char *origin_of(const char *uri)
{
    g_autoptr(WebKitSecurityOrigin) origin = uri ? webkit_security_origin_new_for_uri(uri) : NULL;
    return origin ? webkit_security_origin_to_string(origin) : NULL;
}

void load_set_status(guint status, gboolean asks_for_password)
{
    http_status = status;
    denied = asks_for_password;
}

static void send_load(const char *state, const char *uri)
{
    JsonObject *event = link_event("load", "state", state, "uri", uri, NULL);
    json_object_set_int_member(event, "load", current);
    json_object_set_int_member(event, "status", http_status);
    json_object_set_boolean_member(event, "authentication_required", denied);
    link_send(event);
}

// Whether no load is in progress or asked for.
static gboolean is_idle(void)
{
    return asked == 0 && !webkit_web_view_is_loading(view);
}

static void forget_asked(void)
{
    asked = 0;
    allowed = FALSE;
    g_clear_handle_id(&swallowed, g_source_remove);
}

static void on_unpainted(gpointer data)
{
    unpainted = 0;
    send_load("finished", committed);
}

// Reports the end of a load that waits for its first frame.
static void end_unpainted(void)
{
    if (!unpainted)
        return;
    g_clear_handle_id(&unpainted, g_source_remove);
    on_unpainted(NULL);
}

// Until WebKit has asked for the policy of the agent's load, what starts is an earlier navigation of the page, although
// WebKit already names the agent's URI.
static void on_started(void)
{
    end_unpainted();
    current = allowed ? asked : 0;
    if (allowed)
        forget_asked();
    redirected = FALSE;
    arrived = cancelled = failed = denied = FALSE;
    http_status = 0;
}

static void report_failure(const char *kind, const char *uri, const char *message)
{
    failed = TRUE;
    JsonObject *event = link_event("load_failed", "uri", uri, "kind", kind, "message", message, NULL);
    json_object_set_int_member(event, "load", current);
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
    gboolean is_other = others && is_same_document(uri, others) && !(coming && is_same_document(uri, coming));
    if (!(is_other && current && !arrived))
        report_failure(kind, uri, message);
}

void load_refuse_redirect(const char *uri)
{
    if (current && !arrived)
        report_failure("policy", uri, "the address leads to one that may not be shown");
}

// The agent ends the page that does not let its load through.
static void stopped_by_page(void)
{
    report_failure("cancelled", expected, "the page on the screen stopped it");
    current = 0;
}

static void on_committed(void)
{
    on_page_left();
    // Not earlier: before the commit WebKit already names the page that is being loaded.
    g_free(committed);
    committed = g_strdup(webkit_web_view_get_uri(view));
    if (current && expected && !redirected && g_strcmp0(committed, expected) != 0)
        stopped_by_page(); // the page has put another document in the place of the agent's
    if (!asked)
        g_clear_pointer(&expected, g_free); // otherwise this is an earlier load, started by the page
    arrived = TRUE;
    painted = FALSE;
    // Pages that set no background expect white. The agent's own page is dark and must not flash up white before its
    // style is there.
    frame_set_background(committed && g_str_has_prefix(committed, "vitrine:") ? 0.0 : 1.0);
}

// Whether the end of a load has been reported, or belongs to the load before: its process may report the end after
// another load has begun. A load that its own page stopped is finished.
static gboolean ignores_end(void)
{
    gboolean ignored = failed || (cancelled && !is_idle()) || !arrived;
    cancelled = FALSE;
    return ignored;
}

static void on_load(WebKitWebView *self, WebKitLoadEvent event, gpointer data)
{
    static const char *const names[] = {"started", "redirected", "committed", "finished"};
    if (event == WEBKIT_LOAD_STARTED)
        on_started();
    if (event == WEBKIT_LOAD_STARTED || event == WEBKIT_LOAD_REDIRECTED) {
        g_free(coming);
        coming = g_strdup(webkit_web_view_get_uri(self));
    }
    redirected |= event == WEBKIT_LOAD_REDIRECTED;
    if (event == WEBKIT_LOAD_COMMITTED)
        on_committed();
    if (event == WEBKIT_LOAD_FINISHED && ignores_end()) {
        if (current && !arrived && !failed && is_idle())
            stopped_by_page();
        return;
    }
    if (event == WEBKIT_LOAD_FINISHED && !painted && wpe_display_get_n_screens(webkit_web_view_get_display(self)) > 0) {
        unpainted = g_timeout_add_once(FRAME_MS, on_unpainted, NULL);
        return;
    }
    send_load(names[event], webkit_web_view_get_uri(self));
}

// TRUE keeps WebKit from loading an error page of its own under the same URI.
static gboolean on_load_failed(WebKitWebView *self, WebKitLoadEvent event, char *uri, GError *error, gpointer data)
{
    if (failed)
        return TRUE; // already reported, with the real reason
    // Mostly a newer load replaced this one. The newer one may be the current load already, and can still fail.
    if (g_error_matches(error, WEBKIT_NETWORK_ERROR, WEBKIT_NETWORK_ERROR_CANCELLED)) {
        cancelled = TRUE;
        if (!arrived && is_idle() && (current == 0 || g_strcmp0(uri, coming) == 0))
            load_fail("cancelled", uri, "the page on the screen stopped it");
        return TRUE;
    }
    // A video or an audio file: its document, with a player in it, is there.
    if (g_error_matches(error, WEBKIT_MEDIA_ERROR, WEBKIT_MEDIA_ERROR_WILL_HANDLE_LOAD))
        return TRUE;
    gboolean policy = error->domain == WEBKIT_POLICY_ERROR;
    // The page interrupted it: our own policy would have been reported already.
    if (g_error_matches(error, WEBKIT_POLICY_ERROR, WEBKIT_POLICY_ERROR_FRAME_LOAD_INTERRUPTED_BY_POLICY_CHANGE) &&
        current && coming && is_same_document(uri, coming)) {
        stopped_by_page();
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
    g_clear_handle_id(&unpainted, g_source_remove);
    link_send(link_event("page_gone", "reason", name, "uri", committed, NULL));
    g_clear_pointer(&committed, g_free);
}

void load_frame_shown(void)
{
    if (painted || !committed)
        return;
    painted = TRUE;
    JsonObject *event = link_event("painted", "uri", committed, NULL);
    json_object_set_int_member(event, "load", current);
    link_send(event);
    end_unpainted();
}

static guint moved; // timer: the address within the document is to be sent

static void on_moved(gpointer data)
{
    moved = 0;
    if (arrived && !asked)
        link_send(link_event("moved", "uri", webkit_web_view_get_uri(view), NULL));
}

// A script changed the address, or it is the one of the next document.
static void on_uri(WebKitWebView *self, GParamSpec *property, gpointer data)
{
    if (arrived && !asked && !moved)
        moved = g_timeout_add_once(MOVES_EVERY_MS, on_moved, NULL);
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
    forget_asked();
    current = 0;
}

static void on_swallowed(gpointer data)
{
    swallowed = 0;
    current = asked;
    forget_asked();
    stopped_by_page();
}

gboolean load_may_begin(const char *uri, gboolean is_new, gboolean is_redirect)
{
    gboolean is_coming = current && expected && !arrived && !failed;
    if (!asked && !is_coming) {
        g_free(others);
        others = g_strdup(uri);
        return TRUE;
    }
    if (is_redirect)
        return !asked || allowed;
    if (is_new && g_strcmp0(uri, expected) == 0) {
        allowed = asked != 0;
        return TRUE;
    }
    // WebKit may have given up the agent's load for it, without a word.
    if (asked && !swallowed)
        swallowed = g_timeout_add_once(SWALLOWED_MS, on_swallowed, NULL);
    return FALSE;
}

// Loads are compared by the URI as WebKit writes it.
static void expect(gint64 id)
{
    forget_asked();
    asked = id;
    g_free(expected);
    expected = g_strdup(webkit_web_view_get_uri(view));
}

// Whether `uri` names another place in the document on the screen, whose script may have changed its address.
static gboolean is_other_fragment(const char *uri)
{
    const char *fragment = strchr(uri, '#');
    const char *here = arrived || is_idle() ? webkit_web_view_get_uri(view) : committed;
    if (!committed || !here || failed || !fragment || g_str_equal(here, uri))
        return FALSE;
    gsize length = (gsize)(fragment - uri);
    return strncmp(here, uri, length) == 0 && (here[length] == '#' || here[length] == '\0');
}

void load_uri(gint64 id, const char *uri, const char *html)
{
    if (!html && is_other_fragment(uri)) {
        // WebKit moves within the document and reports no load.
        current = id;
        g_free(committed);
        committed = g_strdup(uri);
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
