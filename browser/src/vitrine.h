// The kiosk browser: one full-screen view that does what the agent says. PROTOCOL.md is the agent's side of it.
#pragma once

#include <json-glib/json-glib.h>
#include <wpe/webkit.h>

#define PROTOCOL_VERSION 1

// link.c: the connection to the agent. It is made again and again; messages without one are dropped.
typedef struct {
    void (*connected)(void);
    void (*command)(JsonObject *command);
    void (*lost)(void);
} LinkHandlers;
void link_start(const char *socket, const LinkHandlers *handlers);
// Texts as name and value, then NULL. Long ones are cut; a value of NULL is told as null.
JsonObject *link_event(const char *name, ...) G_GNUC_NULL_TERMINATED;
JsonObject *link_answer(gint64 id, gboolean ok);
gboolean link_send(JsonObject *message); // takes the message; FALSE: nobody is there to get it
void link_fail(gint64 id, const char *code, const char *message);

// view.c: the one web view. Absent until the agent has configured it, because some settings are for its birth only.
typedef struct {
    const char *user_agent; // NULL: WebKit's own
    gboolean ignore_tls_errors;
    guint memory_limit_mb; // of one web process; 0: none
} Settings;
WebKitWebView *view_get(void);
const char *view_committed_uri(void); // of the document on the screen, NULL when there is none
// Connects to the compositor. Cookies, storage and cache will be kept in the folder.
gboolean view_start(const char *data_folder, GError **error);
gboolean view_configure(const Settings *settings); // FALSE: takes effect in a new process only
void view_load(gint64 id, const char *uri, const char *html); // html: the agent's own page; NULL loads the URI
void view_reload(gint64 id, gboolean bypass_cache);

// refusals.c: what pages do not get: permissions, windows, dialogs, passwords
void refusals_connect(WebKitWebView *view);
void refusal_send(const char *what, const char *detail); // tells the agent

// storage.c: how much pages may store below the folder. Before a session is made.
void storage_limit(const char *folder);

// resource.c: what pages fetch from vitrine:, which the agent answers
void resource_serve(WebKitWebContext *context, const char *(*shown)(void)); // shown: the URI of what is on the screen
void resource_answer(gint64 number, const char *content_type, const char *base64); // NULL: there is none
void resource_refuse_all(void);

// commands.c
void command_handle(JsonObject *command);
