// The kiosk browser: one full-screen view that does what the agent says. PROTOCOL.md describes the agent's side.
#pragma once

#include <json-glib/json-glib.h>
#include <wpe/webkit.h>

#define PROTOCOL_VERSION 3
#define MIB (1024u * 1024)
#define MAX_COMMAND (8 * MIB) // one line from the agent
#define MAX_RESULT (4 * MIB)  // of a script, as JSON in UTF-8; result.js has it too
#define MAX_MESSAGE MIB       // from or to a page, as JSON in UTF-8; channel.js has it too

// link.c: the connection to the agent. It reconnects by itself; messages without a connection are dropped.
typedef struct {
    void (*connected)(void);
    void (*command)(JsonObject *command);
    void (*lost)(void);
} LinkHandlers;
// A command that waits for its answer. An answer to a command of an earlier connection is dropped.
typedef struct {
    gint64 id;
    guint connection;
} Call;
void link_start(const char *socket, const LinkHandlers *handlers);
// Texts as name and value, then NULL. Long ones are cut; a value of NULL becomes null.
JsonObject *link_event(const char *name, ...) G_GNUC_NULL_TERMINATED;
gboolean link_send(JsonObject *message); // takes the message; FALSE: there is no agent
// Sends `text` as the message's member `key`, in parts when it is long. These messages keep their order among
// themselves; those of link_send overtake them. Takes both.
void link_send_text(JsonObject *message, const char *key, char *text);
gboolean link_is_congested(void); // the agent reads more slowly than we write
Call link_call(gint64 id);
void link_answer(Call call, JsonObject *fields);               // takes the fields; NULL: none
void link_answer_text(Call call, const char *key, char *text); // takes the text
void link_fail(Call call, const char *code, const char *message);

// output.c: the lines that wait to be written to the agent
void output_push(JsonObject *message);                                   // before all that output_push_text took
void output_push_text(JsonObject *message, const char *key, char *text); // takes both
GBytes *output_next(void);                                               // what to write next; NULL when nothing waits
gsize output_size(void); // bytes of the waiting messages, roughly, without texts sent in parts
void output_clear(void);

// view.c: the one web view. It exists from the first `configure` on, because some settings only work at its creation.
typedef struct {
    const char *user_agent; // NULL: WebKit's own
    JsonArray *languages;   // NULL or empty: en-US
    gboolean ignore_tls_errors;
    guint memory_limit_mb;  // of one web process; 0: none
    guint inspector_port;   // 0: no inspector
    JsonObject *proxy;      // NULL: none
    JsonArray *permissions; // NULL: none
    gboolean text_selection;
    gboolean zoom;
    const char *pointer; // NULL: as pages ask
} Settings;
WebKitWebView *view_get(void);
// Connects to the compositor. Cookies, storage and cache will be kept in the folder.
gboolean view_start(const char *data_folder, GError **error);
// FALSE: takes effect in a new process only. NULL: without an agent; its first settings do not need a new process.
gboolean view_configure(const Settings *settings);

// load.c: loads and their events
// `page_left` is called before the next document's commit is reported, and when the page's process has ended.
void load_connect(WebKitWebView *view, void (*page_left)(void));
void load_uri(gint64 id, const char *uri, const char *html); // html: the agent's own page; NULL loads the URI
// Whether a navigation may begin: while the agent's load is on its way, only that one. `is_new`: without data to send.
gboolean load_may_begin(const char *uri, gboolean is_new, gboolean is_redirect);
void load_again(gint64 id, gboolean bypass_cache);
void load_agent_lost(void);
void load_frame_shown(void);          // by the compositor
const char *load_committed_uri(void); // of the document on the screen, NULL when there is none
const char *load_expected_uri(void);  // what the agent asked for, until a page is there
void load_set_status(guint status, gboolean asks_for_password); // of the document that is being loaded
void load_fail(const char *kind, const char *uri, const char *message);
void load_refuse_redirect(const char *uri);
char *origin_of(const char *uri); // NULL for an opaque one

// policy.c: where pages may navigate
void policy_connect(WebKitWebView *view, WebKitNetworkSession *session);

// refusals.c: what pages do not get: windows, dialogs, passwords
void refusals_connect(WebKitWebView *view);
void refusal_send(const char *what, const char *detail); // reports it to the agent

// permissions.c: which origins may use cameras, positions and the like
gboolean permissions_configure(JsonArray *allowed); // TRUE: some origin may use a camera or a microphone
void permissions_connect(WebKitWebView *view);
void permissions_set_document(const char *origin); // that a new document names as its own; NULL: there is none

// styles.c: whether people can select text, and whether the mouse pointer is visible
void selection_configure(WebKitUserContentManager *content, gboolean allowed);
void pointer_configure(WebKitUserContentManager *content, const char *pointer); // NULL: as pages ask

// zoom.c: whether people can zoom, by pinching or with the control key
void zoom_connect(WebKitWebView *view);
void zoom_configure(gboolean allowed);

// proxy.c: through which proxies pages are loaded
void proxy_prepare(JsonObject *proxy); // before the session is made
void proxy_configure(WebKitNetworkSession *session, JsonObject *proxy);
void proxy_announce(void); // to an agent that has just connected

// storage.c: the folder with what pages store. Before a session is made.
void storage_limit(const char *folder);
// Removes what is damaged or cannot be used, and returns the folder, or another one when it cannot be used at all.
const char *storage_repair(const char *folder);

// resource.c: what pages fetch from vitrine:, which the agent answers
void resource_serve(WebKitWebContext *context);
void resource_answer(gint64 number, const char *content_type, const char *base64); // NULL: there is none
void resource_refuse_all(void);

// evaluate.c: scripts of the agent in the page
void evaluate_connect(WebKitWebView *view);
void evaluate(Call call, const char *body, guint timeout_ms);
void evaluate_interrupt(void); // the page is gone, or the agent

// channel.c: messages between the page and the agent
void channel_prepare(WebKitUserContentManager *content);
void channel_send(Call call, gint64 channel, const char *text);
void channel_credit(gint64 channel, gint64 size);
void channel_close(void);    // the page is gone
void channel_announce(void); // to an agent that has just connected
void channel_agent_lost(void);

// frame.c: whether frames reach the screen, and what is under the page
void frame_set_background(double grey); // from 0.0, black, to 1.0, white
void frame_connect(WPEView *surface);
void frame_check(Call call); // answered when a frame has been shown

// screenshot.c
void screenshot(Call call); // answered with the page as PNG

// keyboard.c: the on-screen keyboard
void keyboard_connect(WebKitWebView *view);
void keyboard_configure(gboolean enabled, const guint *languages, guint count); // numbers of language_find
void keyboard_page_left(void);

// commands.c
void command_handle(JsonObject *command);
