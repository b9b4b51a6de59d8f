#include "vitrine.h"

#include <glib-unix.h>
#include <stdlib.h>

static gboolean on_terminate(gpointer data)
{
    exit(0);
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
        view_configure(&(Settings){0});
        view_load(0, first[0], NULL);
    }
    g_unix_signal_add(SIGTERM, on_terminate, NULL);
    g_unix_signal_add(SIGINT, on_terminate, NULL);
    link_start(socket);
    g_main_loop_run(g_main_loop_new(NULL, FALSE)); // without end: what ends the process calls exit
}
