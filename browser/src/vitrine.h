// The kiosk browser: one full-screen view that does what the agent says. PROTOCOL.md is the agent's side of it.
#pragma once

#include <json-glib/json-glib.h>
#include <wpe/webkit.h>

#define PROTOCOL_VERSION 1

// What the user of the program decided; policy comes from the agent by `configure`.
typedef struct {
    const char *socket;
    const char *data; // folder for cookies, storage, cache
} Options;

// loop.c
int loop_run(void); // gives the exit code
void quit(int code);

// link.c: the connection to the agent. It is made again and again; messages without one are dropped.
typedef void (*CommandHandler)(JsonObject *command);
void link_start(const char *socket, CommandHandler on_command, void (*on_connected)(void));
JsonBuilder *link_event(const char *name);
JsonBuilder *link_answer(gint64 id, gboolean ok);
void link_text(JsonBuilder *builder, const char *key, const char *value); // NULL is null
void link_number(JsonBuilder *builder, const char *key, gint64 value);
void link_flag(JsonBuilder *builder, const char *key, gboolean value);
void link_send(JsonBuilder *builder); // takes the builder
void link_fail(gint64 id, const char *code, const char *message);

// view.c: the one web view. Absent until the agent has configured it, because some settings are for its birth only.
typedef struct {
    const char *user_agent; // NULL: WebKit's own
    gboolean ignore_tls_errors;
    guint memory_limit_mb; // of one web process; 0: none
} Settings;
WebKitWebView *view_get(void);
const char *view_committed_uri(void); // of the document on the screen, NULL when there is none
guint64 view_frames(void);
gboolean view_start(const Options *options, GError **error); // connects to the compositor
gboolean view_configure(const Settings *settings); // FALSE: takes effect in a new process only
void view_load(gint64 id, const char *uri);
void view_load_html(gint64 id, const char *html, const char *uri);
void view_reload(gint64 id, gboolean bypass_cache);

// commands.c
void command_handle(JsonObject *command);

// snapshot.c, outputs.c: commands that answer later
void snapshot_take(gint64 id);
void outputs_list(gint64 id);
void outputs_rotate(gint64 id, const char *output, gint64 degrees);
