#include "policy.h"

#include "document.h"
#include "load.h"
#include "refusals.h"

// Applies to all frames and to redirects. Only the agent opens its own document and bundles (*.localhost), which may
// then navigate within themselves.
static gboolean may_navigate(const char *uri)
{
    g_autofree char *target = origin_of(uri), *here = document_origin();
    g_autofree char *wanted = origin_of(load_expected_uri());
    if (target && (g_strcmp0(target, here) == 0 || g_strcmp0(target, wanted) == 0))
        return TRUE;
    if (target && g_regex_match_simple("\\.localhost\\.?(:|$)", target, 0, 0))
        return FALSE;
    return g_regex_match_simple("^(https?|about|blob|data):", uri, G_REGEX_CASELESS, 0);
}

// A server that answers 401 without a challenge may show a page to log in.
static gboolean asks_for_password(WebKitURIResponse *response)
{
    guint code = webkit_uri_response_get_status_code(response);
    SoupMessageHeaders *headers = webkit_uri_response_get_http_headers(response);
    return code == 407 || (code == 401 && headers && soup_message_headers_get_list(headers, "WWW-Authenticate"));
}

static gboolean is_download(WebKitResponsePolicyDecision *decision, WebKitURIResponse *response)
{
    SoupMessageHeaders *headers = webkit_uri_response_get_http_headers(response);
    g_autofree char *disposition = NULL;
    if (headers && soup_message_headers_get_content_disposition(headers, &disposition, NULL) &&
        g_ascii_strcasecmp(disposition, "attachment") == 0)
        return TRUE;
    return !webkit_response_policy_decision_is_mime_type_supported(decision);
}

// WebKit's viewer for PDF documents needs more memory than small boards have, and has buttons to save and to print.
static gboolean is_pdf(WebKitURIResponse *response)
{
    const char *type = webkit_uri_response_get_mime_type(response);
    return type && (g_ascii_strcasecmp(type, "application/pdf") == 0 || g_ascii_strcasecmp(type, "text/pdf") == 0);
}

static gboolean on_response(WebKitResponsePolicyDecision *decision)
{
    WebKitURIResponse *response = webkit_response_policy_decision_get_response(decision);
    gboolean is_document = webkit_response_policy_decision_is_main_frame_main_resource(decision);
    const char *uri = webkit_uri_response_get_uri(response);
    guint code = webkit_uri_response_get_status_code(response);
    if (is_document)
        load_set_status(code, asks_for_password(response));
    if (is_document && (code == 204 || code == 205))
        load_fail("policy", uri, "the server sent no content");
    gboolean pdf = is_pdf(response);
    if (!pdf && !is_download(decision, response))
        return FALSE;
    refusal_send("download", uri);
    if (is_document)
        load_fail("policy", uri, pdf ? "PDF documents are not shown" : "the address is a file to download, not a page");
    webkit_policy_decision_ignore(WEBKIT_POLICY_DECISION(decision));
    return TRUE;
}

static gboolean on_policy(
    WebKitWebView *self, WebKitPolicyDecision *decision, WebKitPolicyDecisionType type, gpointer data)
{
    if (type == WEBKIT_POLICY_DECISION_TYPE_RESPONSE)
        return on_response(WEBKIT_RESPONSE_POLICY_DECISION(decision));
    WebKitNavigationAction *action =
        webkit_navigation_policy_decision_get_navigation_action(WEBKIT_NAVIGATION_POLICY_DECISION(decision));
    WebKitURIRequest *request = webkit_navigation_action_get_request(action);
    const char *uri = webkit_uri_request_get_uri(request);
    const char *method = webkit_uri_request_get_http_method(request); // NULL if it is not HTTP
    gboolean is_new = !method || g_str_equal(method, "GET") ||
        webkit_navigation_action_get_navigation_type(action) == WEBKIT_NAVIGATION_TYPE_RELOAD;
    if (!load_may_begin(uri, is_new, webkit_navigation_action_is_redirect(action))) {
        webkit_policy_decision_ignore(decision);
        return TRUE;
    }
    if (may_navigate(uri))
        return FALSE;
    if (webkit_navigation_action_is_redirect(action))
        load_refuse_redirect(uri);
    refusal_send("navigation", uri);
    webkit_policy_decision_ignore(decision);
    return TRUE;
}

// WebKit downloads what on_policy allows if the server calls it an attachment or a link has the attribute `download`.
static void on_download(WebKitNetworkSession *self, WebKitDownload *download, gpointer data)
{
    refusal_send("download", webkit_uri_request_get_uri(webkit_download_get_request(download)));
    webkit_download_cancel(download);
}

void policy_connect(WebKitWebView *view, WebKitNetworkSession *session)
{
    g_signal_connect(view, "decide-policy", G_CALLBACK(on_policy), NULL);
    g_signal_connect(session, "download-started", G_CALLBACK(on_download), NULL);
}
