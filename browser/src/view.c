#include "vitrine.h"

#include <stdlib.h>
#include <string.h>
#include <wpe/wayland/wpe-wayland.h>

static const char *data_folder;
static WPEDisplay *display;
static WebKitWebView *view;
static WebKitNetworkSession *session;
static guint memory_limit_mb;
static char *committed;       // URI of the document on the screen
static gint64 asked;          // the agent's load that WebKit has not started yet
static gint64 current;        // the agent's load that is under way or done; 0: the page's own navigation
static char *expected;        // URI that the agent asked for, until a page is there
static char *coming;          // URI of the agent's load that has started
static guint status;          // of HTTP, of the document that is coming
static gboolean denied;       // that document is what the server answers to who does not tell a password
static gboolean arrived;      // the document of the current load is there
static gboolean cancelled;    // the end that comes next is of a load that was cancelled
static gboolean failed;       // the current load has been reported as failed
static gboolean painted;      // a frame was shown since the last commit

WebKitWebView *view_get(void)
{
    return view;
}

const char *view_committed_uri(void)
{
    return committed;
}

static void send_load(const char *state, const char *uri)
{
    JsonObject *event = link_event("load", "state", state, "uri", uri, NULL);
    json_object_set_int_member(event, "load", current);
    json_object_set_int_member(event, "status", status);
    json_object_set_boolean_member(event, "authentication_required", denied);
    link_send(event);
}

// A grey from 0.0, black, to 1.0, white.
static void set_background(double grey)
{
    WebKitColor colour = {.red = grey, .green = grey, .blue = grey, .alpha = 1.0};
    webkit_web_view_set_background_color(view, &colour);
}

// Whether no load is on its way, nor asked for.
static gboolean is_idle(void)
{
    return asked == 0 && !webkit_web_view_is_loading(view);
}

static void on_load(WebKitWebView *self, WebKitLoadEvent event, gpointer data)
{
    static const char *const names[] = {"started", "redirected", "committed", "finished"};
    if (event == WEBKIT_LOAD_STARTED) {
        current = asked;
        asked = 0;
        arrived = cancelled = failed = denied = FALSE;
        status = 0;
    }
    if (event == WEBKIT_LOAD_STARTED || event == WEBKIT_LOAD_REDIRECTED) {
        g_free(coming);
        coming = g_strdup(webkit_web_view_get_uri(self));
    }
    if (event == WEBKIT_LOAD_COMMITTED) {
        // Only now: before the commit WebKit already names the page that is still to come.
        g_free(committed);
        committed = g_strdup(webkit_web_view_get_uri(self));
        if (!asked)
            g_clear_pointer(&expected, g_free); // else it is the page's own that came before
        arrived = TRUE;
        painted = FALSE;
        // White is what the web promises a page that sets none. The agent's own page is dark: none of it may flash up
        // white before its style is there.
        set_background(committed && g_str_has_prefix(committed, "vitrine:") ? 0.0 : 1.0);
    }
    if (event == WEBKIT_LOAD_FINISHED) {
        // Already told; or of the load before, whose process may tell of its end after another one has begun with this.
        // One that its own page stopped has come as far as it will.
        gboolean ignored = failed || (cancelled && !is_idle()) || !arrived;
        cancelled = FALSE;
        if (ignored)
            return;
    }
    send_load(names[event], webkit_web_view_get_uri(self));
}

static void send_failure(const char *kind, const char *uri, const char *message)
{
    failed = TRUE;
    JsonObject *event = link_event("load_failed", "uri", uri, "kind", kind, "message", message, NULL);
    json_object_set_int_member(event, "load", current);
    link_send(event);
}

// TRUE keeps WebKit from loading an error page of its own under the same URI.
static gboolean on_load_failed(WebKitWebView *self, WebKitLoadEvent event, char *uri, GError *error, gpointer data)
{
    if (failed)
        return TRUE; // told before, with the real reason
    // Mostly a newer load replaced this one. That one may be the current load already, and can still fail or end well.
    if (g_error_matches(error, WEBKIT_NETWORK_ERROR, WEBKIT_NETWORK_ERROR_CANCELLED)) {
        cancelled = TRUE;
        if (!arrived && is_idle() && (current == 0 || g_strcmp0(uri, coming) == 0))
            send_failure("cancelled", uri, "the page on the screen stopped it");
        return TRUE;
    }
    gboolean policy = error->domain == WEBKIT_POLICY_ERROR;
    send_failure(policy ? "policy" : "network", uri, error->message);
    return TRUE;
}

static gboolean on_tls_failed(
    WebKitWebView *self, char *uri, GTlsCertificate *certificate, GTlsCertificateFlags errors, gpointer data)
{
    // By the flag's bit. The highest is told: who issued a certificate matters little once it has expired.
    static const char *const reasons[] = {
        "the certificate's issuer is not trusted", // G_TLS_CERTIFICATE_UNKNOWN_CA
        "the certificate is for another name",
        "the certificate is not valid yet",
        "the certificate has expired",
        "the certificate was revoked", // G_TLS_CERTIFICATE_REVOKED
    };
    gint bit = g_bit_nth_msf(errors & ((1 << G_N_ELEMENTS(reasons)) - 1), -1);
    send_failure("tls", uri, bit >= 0 ? reasons[bit] : "the certificate was refused");
    return TRUE;
}

static void on_terminated(WebKitWebView *self, WebKitWebProcessTerminationReason reason, gpointer data)
{
    const char *name = "crashed";
    if (reason == WEBKIT_WEB_PROCESS_EXCEEDED_MEMORY_LIMIT)
        name = "memory";
    else if (reason == WEBKIT_WEB_PROCESS_TERMINATED_BY_API)
        name = "terminated";
    link_send(link_event("page_gone", "reason", name, "uri", committed, NULL));
    g_clear_pointer(&committed, g_free);
}

// NULL for what has none.
static char *origin_of(const char *uri)
{
    g_autoptr(WebKitSecurityOrigin) origin = uri ? webkit_security_origin_new_for_uri(uri) : NULL;
    return origin ? webkit_security_origin_to_string(origin) : NULL;
}

// Of any frame, and of redirects. The agent's own document and the bundles (*.localhost) are for the agent to show;
// from there on they may navigate within themselves.
static gboolean may_navigate(const char *uri)
{
    g_autofree char *target = origin_of(uri), *here = origin_of(committed), *wanted = origin_of(expected);
    if (target && (g_strcmp0(target, here) == 0 || g_strcmp0(target, wanted) == 0))
        return TRUE;
    if (target && g_regex_match_simple("\\.localhost\\.?(:|$)", target, 0, 0))
        return FALSE;
    return g_regex_match_simple("^(https?|about|blob|data):", uri, G_REGEX_CASELESS, 0);
}

// A server that only says 401 may well have its own way to log in on the page.
static gboolean asks_for_password(WebKitURIResponse *response)
{
    guint code = webkit_uri_response_get_status_code(response);
    SoupMessageHeaders *headers = webkit_uri_response_get_http_headers(response);
    return code == 407 || (code == 401 && headers && soup_message_headers_get_list(headers, "WWW-Authenticate"));
}

static gboolean on_policy(WebKitWebView *self, WebKitPolicyDecision *decision, WebKitPolicyDecisionType type, gpointer data)
{
    if (type == WEBKIT_POLICY_DECISION_TYPE_RESPONSE) {
        WebKitResponsePolicyDecision *answered = WEBKIT_RESPONSE_POLICY_DECISION(decision);
        WebKitURIResponse *response = webkit_response_policy_decision_get_response(answered);
        gboolean is_document = webkit_response_policy_decision_is_main_frame_main_resource(answered);
        if (is_document) {
            status = webkit_uri_response_get_status_code(response);
            denied = asks_for_password(response);
        }
        if (webkit_response_policy_decision_is_mime_type_supported(answered))
            return FALSE;
        const char *uri = webkit_uri_response_get_uri(response);
        refusal_send("download", uri);
        if (is_document)
            send_failure("policy", uri, "the address is a file to download, not a page");
        webkit_policy_decision_ignore(decision);
        return TRUE;
    }
    WebKitNavigationAction *action =
        webkit_navigation_policy_decision_get_navigation_action(WEBKIT_NAVIGATION_POLICY_DECISION(decision));
    const char *uri = webkit_uri_request_get_uri(webkit_navigation_action_get_request(action));
    if (may_navigate(uri))
        return FALSE;
    refusal_send("navigation", uri);
    webkit_policy_decision_ignore(decision);
    return TRUE;
}

// Of what on_policy lets through, WebKit saves what the server calls an attachment and what a link calls a download.
static void on_download(WebKitNetworkSession *self, WebKitDownload *download, gpointer data)
{
    refusal_send("download", webkit_uri_request_get_uri(webkit_download_get_request(download)));
    webkit_download_cancel(download);
}

static void on_frame(WebKitWebView *self, gpointer data)
{
    if (painted || !committed)
        return;
    painted = TRUE;
    JsonObject *event = link_event("painted", "uri", committed, NULL);
    json_object_set_int_member(event, "load", current);
    link_send(event);
}

static void on_display_gone(WPEDisplay *self, GError *error, gpointer data)
{
    g_printerr("compositor gone: %s\n", error ? error->message : "no reason given");
    exit(4);
}

static void on_closed(WPEView *self, gpointer data)
{
    exit(4);
}

gboolean view_start(const char *folder, GError **error)
{
    data_folder = folder;
    display = wpe_display_wayland_new();
    if (!wpe_display_connect(display, error))
        return FALSE;
    g_signal_connect(display, "disconnected", G_CALLBACK(on_display_gone), NULL);
    wpe_display_set_primary(display);
    return TRUE;
}

static WebKitMemoryPressureSettings *memory_settings(guint limit_mb)
{
    WebKitMemoryPressureSettings *settings = webkit_memory_pressure_settings_new();
    webkit_memory_pressure_settings_set_memory_limit(settings, limit_mb);
    // Each must be below the next at every moment, so the upper ones come first.
    webkit_memory_pressure_settings_set_kill_threshold(settings, 1.0);
    webkit_memory_pressure_settings_set_strict_threshold(settings, 0.8);
    webkit_memory_pressure_settings_set_conservative_threshold(settings, 0.5);
    webkit_memory_pressure_settings_set_poll_interval(settings, 5);
    return settings;
}

static void create(const Settings *wanted)
{
    WebKitMemoryPressureSettings *memory = wanted->memory_limit_mb ? memory_settings(wanted->memory_limit_mb) : NULL;
    memory_limit_mb = wanted->memory_limit_mb;
    if (memory)
        webkit_network_session_set_memory_pressure_settings(memory);
    g_autoptr(WebKitWebContext) context =
        g_object_new(WEBKIT_TYPE_WEB_CONTEXT, "memory-pressure-settings", memory, NULL);
    g_clear_pointer(&memory, webkit_memory_pressure_settings_free);
    webkit_web_context_set_cache_model(context, WEBKIT_CACHE_MODEL_DOCUMENT_BROWSER);
    resource_serve(context, view_committed_uri);

    g_autofree char *cache = g_build_filename(data_folder, "cache", NULL);
    g_autofree char *cookies = g_build_filename(data_folder, "cookies.sqlite", NULL);
    storage_limit(data_folder);
    session = webkit_network_session_new(data_folder, cache);
    g_signal_connect(session, "download-started", G_CALLBACK(on_download), NULL);
    webkit_cookie_manager_set_persistent_storage(
        webkit_network_session_get_cookie_manager(session), cookies, WEBKIT_COOKIE_PERSISTENT_STORAGE_SQLITE);

    g_autoptr(WebKitSettings) settings = webkit_settings_new_with_settings("enable-developer-extras", FALSE,
        "enable-page-cache", FALSE, "media-playback-requires-user-gesture", FALSE,
        "javascript-can-open-windows-automatically", FALSE, NULL);
    g_autoptr(WebKitWebsitePolicies) policies =
        webkit_website_policies_new_with_policies("autoplay", WEBKIT_AUTOPLAY_ALLOW, NULL);
    view = g_object_new(WEBKIT_TYPE_WEB_VIEW, "display", display, "settings", settings, "web-context", context,
        "network-session", session, "website-policies", policies, NULL);

    set_background(0.0); // no white flash between the boot picture and the first page

    g_signal_connect(view, "load-changed", G_CALLBACK(on_load), NULL);
    g_signal_connect(view, "load-failed", G_CALLBACK(on_load_failed), NULL);
    g_signal_connect(view, "load-failed-with-tls-errors", G_CALLBACK(on_tls_failed), NULL);
    g_signal_connect(view, "web-process-terminated", G_CALLBACK(on_terminated), NULL);
    g_signal_connect(view, "decide-policy", G_CALLBACK(on_policy), NULL);
    refusals_connect(view);
    webkit_web_view_add_frame_displayed_callback(view, on_frame, NULL, NULL);

    WPEView *surface = webkit_web_view_get_wpe_view(view);
    g_signal_connect(surface, "closed", G_CALLBACK(on_closed), NULL);
    WPEToplevel *toplevel = wpe_view_get_toplevel(surface);
    if (toplevel)
        wpe_toplevel_fullscreen(toplevel);
}

gboolean view_configure(const Settings *wanted)
{
    if (!view)
        create(wanted);
    webkit_settings_set_user_agent(webkit_web_view_get_settings(view), wanted->user_agent);
    webkit_network_session_set_tls_errors_policy(
        session, wanted->ignore_tls_errors ? WEBKIT_TLS_ERRORS_POLICY_IGNORE : WEBKIT_TLS_ERRORS_POLICY_FAIL);
    return wanted->memory_limit_mb == memory_limit_mb;
}

// Whether the document on the screen already holds what `uri` names, at another place.
static gboolean is_other_fragment(const char *uri)
{
    const char *fragment = strchr(uri, '#');
    if (!committed || failed || !fragment || g_str_equal(committed, uri))
        return FALSE;
    gsize length = (gsize)(fragment - uri);
    return strncmp(committed, uri, length) == 0 && (committed[length] == '#' || committed[length] == '\0');
}

void view_load(gint64 id, const char *uri, const char *html)
{
    if (!html && is_other_fragment(uri)) {
        // WebKit moves within the document and tells of no load.
        current = id;
        g_free(committed);
        committed = g_strdup(uri);
        webkit_web_view_load_uri(view, uri);
        send_load("committed", uri);
        send_load("finished", uri);
        return;
    }
    asked = id;
    g_free(expected);
    expected = g_strdup(uri);
    if (html)
        webkit_web_view_load_html(view, html, uri);
    else
        webkit_web_view_load_uri(view, uri);
}

void view_reload(gint64 id, gboolean bypass_cache)
{
    asked = id;
    if (bypass_cache)
        webkit_web_view_reload_bypass_cache(view);
    else
        webkit_web_view_reload(view);
}
