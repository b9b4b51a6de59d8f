#include "proxy.h"

#include "json.h"
#include "link.h"

#include <gio/gunixsocketaddress.h>
#include <glib/gstdio.h>

// Where native/meson.build installs the PAC resolver, and its name.
#define PAC_MODULES VITRINE_PREFIX "/lib/vitrine/gio"
#define PAC_RESOLVER "vitrine-pac"

static char *pac_failure; // why the PAC script gives no answers; NULL: it gives answers, or there is none

// Never reached through a proxy: bundles are here, and a proxy must not lead a page back to this device.
static const char *const local[] = {"localhost", "127.0.0.0/8", "::1", "fe80::/10", "0.0.0.0"};

static GStrv exceptions_of(JsonObject *proxy)
{
    g_autoptr(GStrvBuilder) all = g_strv_builder_new();
    for (guint i = 0; i < G_N_ELEMENTS(local); i++)
        g_strv_builder_add(all, local[i]);
    add_texts(all, array_of(proxy, "exceptions"));
    return g_strv_builder_end(all);
}

void proxy_announce(void)
{
    if (pac_failure)
        link_send(link_event("pac_failed", "reason", pac_failure, NULL));
}

static gboolean on_report(GSocket *socket, GIOCondition condition, gpointer data)
{
    char text[2048];
    gssize length = g_socket_receive(socket, text, sizeof text, NULL, NULL);
    g_autofree char *reason = length > 0 ? g_utf8_make_valid(text, length) : NULL;
    if (length < 0 || g_strcmp0(reason, pac_failure) == 0)
        return G_SOURCE_CONTINUE;
    g_set_str(&pac_failure, reason);
    link_send(link_event("pac_failed", "reason", pac_failure, NULL));
    return G_SOURCE_CONTINUE;
}

// Where the resolver in WebKit's network process reports what fails.
static void listen_for_reports(void)
{
    g_autofree char *path = g_build_filename(g_get_user_runtime_dir(), "vitrine-pac", NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(GSocketAddress) address = g_unix_socket_address_new(path);
    GSocket *socket = g_socket_new(G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_DATAGRAM, 0, &error);
    g_unlink(path);
    if (!socket || !g_socket_bind(socket, address, TRUE, &error)) {
        g_warning("failures of the PAC script will not be reported: %s", error->message);
        return;
    }
    g_socket_set_blocking(socket, FALSE);
    GSource *source = g_socket_create_source(socket, G_IO_IN, NULL); // has a reference of its own
    g_source_set_callback(source, G_SOURCE_FUNC(on_report), NULL, NULL);
    g_source_attach(source, NULL);
    g_source_unref(source);
    g_setenv("VITRINE_PAC_REPORTS", path, TRUE);
}

void proxy_prepare(JsonObject *proxy)
{
    const char *pac = proxy ? text_of(proxy, "pac") : NULL;
    if (!pac)
        return;
    // WebKit cannot run a PAC script: its network process asks the resolver in native/pac/pac-resolver.c.
    g_auto(GStrv) exceptions = exceptions_of(proxy);
    g_autofree char *joined = g_strjoinv(",", exceptions);
    g_setenv("GIO_EXTRA_MODULES", PAC_MODULES, TRUE);
    g_setenv("GIO_USE_PROXY_RESOLVER", PAC_RESOLVER, TRUE);
    g_setenv("VITRINE_PAC_URL", pac, TRUE);
    g_setenv("VITRINE_PAC_EXCEPTIONS", joined, TRUE);
    listen_for_reports();
}

void proxy_configure(WebKitNetworkSession *session, JsonObject *proxy)
{
    if (!proxy) {
        webkit_network_session_set_proxy_settings(session, WEBKIT_NETWORK_PROXY_MODE_NO_PROXY, NULL);
        return;
    }
    if (text_of(proxy, "pac")) {
        webkit_network_session_set_proxy_settings(session, WEBKIT_NETWORK_PROXY_MODE_DEFAULT, NULL);
        return;
    }
    g_auto(GStrv) exceptions = exceptions_of(proxy);
    WebKitNetworkProxySettings *settings = webkit_network_proxy_settings_new(NULL, (const char *const *)exceptions);
    static const char *const schemes[][2] = {{"http", "http"}, {"ws", "http"}, {"https", "https"}, {"wss", "https"}};
    for (guint i = 0; i < G_N_ELEMENTS(schemes); i++)
        if (text_of(proxy, schemes[i][1]))
            webkit_network_proxy_settings_add_proxy_for_scheme(settings, schemes[i][0], text_of(proxy, schemes[i][1]));
    webkit_network_session_set_proxy_settings(session, WEBKIT_NETWORK_PROXY_MODE_CUSTOM, settings);
    webkit_network_proxy_settings_free(settings);
}
