#include "channels.h"
#include "commands.h"
#include "console.h"
#include "document.h"
#include "evaluate.h"
#include "link.h"
#include "load.h"
#include "notice.h"
#include "proxy.h"
#include "resource.h"
#include "view.h"

#include <glib-unix.h>
#include <stdlib.h>
#include <unistd.h>

#define PROTOCOL_VERSION 4

static gboolean on_terminate(gpointer data)
{
    exit(0);
}

// The first message of every connection. It tells an agent that has restarted what is still on the screen.
static void on_connected(void)
{
    g_autofree char *webkit =
        g_strdup_printf("%u.%u.%u", webkit_get_major_version(), webkit_get_minor_version(), webkit_get_micro_version());
    JsonObject *hello = link_event("hello", "webkit", webkit, "uri", document_uri(), NULL);
    json_object_set_int_member(hello, "protocol", PROTOCOL_VERSION);
    json_object_set_int_member(hello, "pid", getpid());
    link_send(hello);
    channels_announce();
    proxy_announce();
}

static void on_lost(void)
{
    resource_refuse_all();
    channels_agent_lost();
    load_agent_lost();
    evaluate_interrupt();
    notice_set(NULL);
    console_set(FALSE);
}

int main(int argc, char **argv)
{
    g_autofree char *socket = g_strdup("/run/vitrine/browser.sock");
    g_autofree char *data = NULL;
    g_auto(GStrv) first = NULL;
    const GOptionEntry entries[] = {
        {"socket", 's', 0, G_OPTION_ARG_FILENAME, &socket, "the agent's socket", "PATH"},
        {"data", 'd', 0, G_OPTION_ARG_FILENAME, &data, "folder for cookies, storage and cache", "DIR"},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &first, "shown without waiting for the agent", "[URI]"},
        G_OPTION_ENTRY_NULL,
    };
    g_autoptr(GOptionContext) context = g_option_context_new("- kiosk browser, driven by the agent");
    g_autoptr(GError) error = NULL;
    g_option_context_add_main_entries(context, entries, NULL);
    if (!g_option_context_parse(context, &argc, &argv, &error)) {
        g_printerr("%s\n", error->message);
        return 2;
    }

    if (!view_start(data ? data : g_get_user_data_dir(), &error)) {
        g_printerr("no compositor: %s\n", error->message);
        return 3;
    }
    if (first) {
        view_configure(NULL);
        load_uri(0, first[0], NULL);
    }
    g_unix_signal_add(SIGTERM, on_terminate, NULL);
    g_unix_signal_add(SIGINT, on_terminate, NULL);
    static const LinkHandlers handlers = {on_connected, command_handle, on_lost};
    link_start(socket, &handlers);
    g_main_loop_run(g_main_loop_new(NULL, FALSE)); // never returns: whatever ends the process calls exit
}
