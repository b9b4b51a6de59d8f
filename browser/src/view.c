#include "vitrine.h"

#include <stdlib.h>
#include <wpe/wayland/wpe-wayland.h>

static const char *data_folder;
static WPEDisplay *display;
static WebKitWebView *view;
static WebKitNetworkSession *session;
static guint memory_limit_mb;

WebKitWebView *view_get(void)
{
    return view;
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

static WebKitWebContext *create_context(guint limit_mb)
{
    WebKitMemoryPressureSettings *memory = limit_mb ? memory_settings(limit_mb) : NULL;
    if (memory)
        webkit_network_session_set_memory_pressure_settings(memory);
    WebKitWebContext *context = g_object_new(WEBKIT_TYPE_WEB_CONTEXT, "memory-pressure-settings", memory, NULL);
    g_clear_pointer(&memory, webkit_memory_pressure_settings_free);
    webkit_web_context_set_cache_model(context, WEBKIT_CACHE_MODEL_DOCUMENT_BROWSER);
    resource_serve(context);
    return context;
}

static WebKitNetworkSession *create_session(void)
{
    g_autofree char *cache = g_build_filename(data_folder, "cache", NULL);
    g_autofree char *cookies = g_build_filename(data_folder, "cookies.sqlite", NULL);
    storage_limit(data_folder);
    WebKitNetworkSession *created = webkit_network_session_new(data_folder, cache);
    webkit_cookie_manager_set_persistent_storage(
        webkit_network_session_get_cookie_manager(created), cookies, WEBKIT_COOKIE_PERSISTENT_STORAGE_SQLITE);
    return created;
}

static void on_page_left(void)
{
    evaluate_interrupt();
    channel_close();
}

static void create(guint limit_mb)
{
    memory_limit_mb = limit_mb;
    session = create_session();
    g_autoptr(WebKitWebContext) context = create_context(limit_mb);
    g_autoptr(WebKitSettings) settings = webkit_settings_new_with_settings("enable-developer-extras", FALSE,
        "enable-page-cache", FALSE, "media-playback-requires-user-gesture", FALSE,
        "javascript-can-open-windows-automatically", FALSE, NULL);
    g_autoptr(WebKitWebsitePolicies) policies =
        webkit_website_policies_new_with_policies("autoplay", WEBKIT_AUTOPLAY_ALLOW, NULL);
    g_autoptr(WebKitUserContentManager) content = webkit_user_content_manager_new();
    channel_prepare(content);
    view = g_object_new(WEBKIT_TYPE_WEB_VIEW, "display", display, "settings", settings, "web-context", context,
        "network-session", session, "website-policies", policies, "user-content-manager", content, NULL);
    evaluate_connect(view);
    load_connect(view, on_page_left);
    policy_connect(view, session);
    refusals_connect(view);

    WPEView *surface = webkit_web_view_get_wpe_view(view);
    g_signal_connect(surface, "closed", G_CALLBACK(on_closed), NULL);
    WPEToplevel *toplevel = wpe_view_get_toplevel(surface);
    if (toplevel)
        wpe_toplevel_fullscreen(toplevel);
}

gboolean view_configure(const Settings *wanted)
{
    if (!view)
        create(wanted->memory_limit_mb);
    webkit_settings_set_user_agent(webkit_web_view_get_settings(view), wanted->user_agent);
    webkit_network_session_set_tls_errors_policy(
        session, wanted->ignore_tls_errors ? WEBKIT_TLS_ERRORS_POLICY_IGNORE : WEBKIT_TLS_ERRORS_POLICY_FAIL);
    return wanted->memory_limit_mb == memory_limit_mb;
}
