#include "refusals.h"

#include "link.h"

void refusal_send(const char *what, const char *detail)
{
    if (link_is_congested())
        return; // a page can cause any number of them, and nothing depends on them
    link_send(link_event("blocked", "what", what, "detail", detail, NULL));
}

// Nobody can type a password. The server's answer to a client without one is shown.
static gboolean on_authenticate(WebKitWebView *self, WebKitAuthenticationRequest *request, gpointer data)
{
    webkit_authentication_request_authenticate(request, NULL);
    return TRUE;
}

// Nobody may be there to close a dialog: alert, confirm and prompt return at once, as dismissed. A page that asks
// whether it should be left is left: the agent decides what is on the screen.
static gboolean on_dialog(WebKitWebView *self, WebKitScriptDialog *dialog, gpointer data)
{
    if (webkit_script_dialog_get_dialog_type(dialog) == WEBKIT_SCRIPT_DIALOG_BEFORE_UNLOAD_CONFIRM)
        webkit_script_dialog_confirm_set_confirmed(dialog, TRUE);
    return TRUE;
}

static gboolean on_context_menu(WebKitWebView *self, WebKitContextMenu *menu, WebKitHitTestResult *hit, gpointer data)
{
    return TRUE;
}

static gboolean has_referrer(WebKitURIRequest *request)
{
    SoupMessageHeaders *headers = webkit_uri_request_get_http_headers(request);
    return headers && soup_message_headers_get_one(headers, "Referer");
}

// There are no windows. If a person's click or touch asks for one, the page itself navigates there, by a link, so that
// the request has the same cookies as a navigation by the page.
static WebKitWebView *on_create(WebKitWebView *self, WebKitNavigationAction *action, gpointer data)
{
    WebKitURIRequest *request = webkit_navigation_action_get_request(action);
    const char *uri = webkit_uri_request_get_uri(request), *method = webkit_uri_request_get_http_method(request);
    if (!webkit_navigation_action_is_user_gesture(action) || g_strcmp0(method, "GET") != 0 ||
        !g_regex_match_simple("^https?:", uri, G_REGEX_CASELESS, 0)) {
        refusal_send("window", uri);
        return NULL;
    }
    GVariantDict arguments;
    g_variant_dict_init(&arguments, NULL);
    g_variant_dict_insert(&arguments, "href", "s", uri);
    g_variant_dict_insert(&arguments, "rel", "s", has_referrer(request) ? "" : "noreferrer");
    webkit_web_view_call_async_javascript_function(self,
        "Object.assign(document.createElement('a'), {href, rel}).click()", -1, g_variant_dict_end(&arguments),
        "vitrine-window", NULL, NULL, NULL, NULL);
    return NULL;
}

void refusals_connect(WebKitWebView *view)
{
    g_signal_connect(view, "authenticate", G_CALLBACK(on_authenticate), NULL);
    g_signal_connect(view, "script-dialog", G_CALLBACK(on_dialog), NULL);
    g_signal_connect(view, "context-menu", G_CALLBACK(on_context_menu), NULL);
    g_signal_connect(view, "create", G_CALLBACK(on_create), NULL);
}
