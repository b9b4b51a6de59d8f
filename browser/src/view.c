#include "view.h"

#include "channels.h"
#include "console.h"
#include "devices.h"
#include "document.h"
#include "evaluate.h"
#include "frame.h"
#include "json.h"
#include "keyboard.h"
#include "load.h"
#include "notice.h"
#include "overlay.h"
#include "permissions.h"
#include "policy.h"
#include "proxy.h"
#include "refusals.h"
#include "resource.h"
#include "scripts.h"
#include "storage.h"
#include "styles.h"
#include "zoom.h"

#include <stdlib.h>
#include <wpe/wayland/wpe-wayland.h>

static const char *data_folder;
static WPEDisplay *display;
static WebKitWebView *view;
static char *restart_settings; // those that need a restart of the browser to change, as one text

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

// WebKit does not see the surface leave an output that is unplugged, and uses the largest scale of all outputs that it
// knows: the scale of the old output would stay.
static void on_screen_removed(WPEDisplay *self, WPEScreen *screen, gpointer data)
{
    wpe_screen_set_scale(screen, 1);
}

gboolean view_start(const char *folder, GError **error)
{
    data_folder = folder;
    display = wpe_display_wayland_new();
    if (!wpe_display_connect(display, error))
        return FALSE;
    g_signal_connect(display, "disconnected", G_CALLBACK(on_display_gone), NULL);
    g_signal_connect(display, "screen-removed", G_CALLBACK(on_screen_removed), NULL);
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
    console_prepare(context);
    return context;
}

static WebKitNetworkSession *create_session(void)
{
    data_folder = storage_repair(data_folder);
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
    channels_close();
    document_set_named_origin(NULL);
    keyboard_page_left();
}

// WebKit reads the variable when a context is created. The firewall decides who reaches the port.
static void prepare_inspector(guint port)
{
    g_autofree char *address = g_strdup_printf("0.0.0.0:%u", port);
    g_setenv("WEBKIT_INSPECTOR_HTTP_SERVER", address, TRUE);
}

// Runs it in every frame, in a script world of its own, before the page's scripts.
static void add_script(WebKitUserContentManager *content, const char *source, const char *world)
{
    g_autoptr(WebKitUserScript) script = webkit_user_script_new_for_world(
        source, WEBKIT_USER_CONTENT_INJECT_ALL_FRAMES, WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, world, NULL, NULL);
    webkit_user_content_manager_add_script(content, script);
}

static void create(const Settings *wanted)
{
    if (wanted->inspector_port)
        prepare_inspector(wanted->inspector_port);
    proxy_prepare(wanted->proxy);
    WebKitNetworkSession *session = create_session();
    proxy_configure(session, wanted->proxy);
    webkit_network_session_set_tls_errors_policy(
        session, wanted->ignore_tls_errors ? WEBKIT_TLS_ERRORS_POLICY_IGNORE : WEBKIT_TLS_ERRORS_POLICY_FAIL);
    g_autoptr(WebKitWebContext) context = create_context(wanted->memory_limit_mb);
    g_autoptr(WebKitSettings) settings = webkit_settings_new_with_settings("enable-developer-extras",
        wanted->inspector_port != 0, "enable-page-cache", FALSE, "media-playback-requires-user-gesture", FALSE,
        "javascript-can-open-windows-automatically", FALSE, NULL);
    webkit_settings_set_user_agent(settings, wanted->user_agent);
    g_autoptr(WebKitWebsitePolicies) policies =
        webkit_website_policies_new_with_policies("autoplay", WEBKIT_AUTOPLAY_ALLOW, NULL);
    g_autoptr(WebKitUserContentManager) content = webkit_user_content_manager_new();
    channels_prepare(content);
    devices_prepare(content);
    frame_prepare(content);
    add_script(content, REVEAL_SCRIPT, "vitrine-keyboard");
    add_script(content, LOOP_SCRIPT, "vitrine-loop");
    view = g_object_new(WEBKIT_TYPE_WEB_VIEW, "display", display, "settings", settings, "web-context", context,
        "network-session", session, "website-policies", policies, "user-content-manager", content, NULL);
    evaluate_connect(view);
    console_connect(view);
    frame_connect(view, load_frame_shown);
    load_connect(view, on_page_left);
    policy_connect(view, session);
    refusals_connect(view);
    permissions_connect(view);
    zoom_connect(view);
    WPEView *surface = webkit_web_view_get_wpe_view(view);
    overlay_connect(surface);
    keyboard_connect(view);
    notice_connect(view);

    g_signal_connect(surface, "closed", G_CALLBACK(on_closed), NULL);
    WPEToplevel *toplevel = wpe_view_get_toplevel(surface);
    if (toplevel)
        wpe_toplevel_fullscreen(toplevel);
}

// Settings that are only read at the start of a process, or would not affect the displayed page and its connections.
static char *restart_settings_of(const Settings *settings)
{
    g_autofree char *proxy = settings->proxy ? object_to_text(settings->proxy) : NULL;
    return g_strdup_printf("%d %u %u %s %s", settings->ignore_tls_errors, settings->memory_limit_mb,
        settings->inspector_port, proxy ? proxy : "", settings->user_agent ? settings->user_agent : "");
}

static void set_languages(JsonArray *wanted)
{
    g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
    add_texts(builder, wanted);
    if (!wanted || json_array_get_length(wanted) == 0)
        g_strv_builder_add(builder, "en-US"); // otherwise WebKit would keep the current ones
    g_auto(GStrv) languages = g_strv_builder_end(builder);
    webkit_web_context_set_preferred_languages(webkit_web_view_get_context(view), (const char *const *)languages);
}

gboolean view_configure(const Settings *wanted)
{
    if (!view)
        create(wanted ? wanted : &(Settings){0});
    if (!wanted)
        return TRUE;
    g_autofree char *text = restart_settings_of(wanted);
    if (!restart_settings)
        restart_settings = g_strdup(text);
    gboolean captures = permissions_configure(wanted->permissions);
    // Only if needed: media streams make every web process load GStreamer.
    webkit_settings_set_enable_media_stream(webkit_web_view_get_settings(view), captures);
    WebKitUserContentManager *content = webkit_web_view_get_user_content_manager(view);
    set_languages(wanted->languages);
    selection_configure(content, wanted->text_selection);
    pointer_configure(content, wanted->pointer);
    zoom_configure(wanted->zoom);
    return g_str_equal(text, restart_settings);
}
