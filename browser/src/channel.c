#include "channel.h"

#include "document.h"
#include "scripts.h"

#include <string.h>

#define NAME "vitrine"             // of the script world and of the message handler, which only that world has
#define MAX_HELD 64                // size of the page's messages without credit; channel.js sends no more
#define MAX_MESSAGE (1024u * 1024) // from or to a page, as JSON in UTF-8; channel.js has it too
#define UNIT_BYTES (64u * 1024)
#define MAX_OUTGOING 16 // messages that the page has not taken
#define CLOSE_MS 100    // delay after closing, so that a page cannot open and close channels in a fast loop

typedef struct {
    char *text;
    gint64 size;                     // 1, and 1 for each 64 KiB
    WebKitScriptMessageReply *reply; // of the last message of a group: lets the page send as many more
} Held;
typedef struct {
    Call call;
    char *text;
} Outgoing;

static gint64 channel; // number of the open channel; 0: closed
static char *token;    // names it in the page
static char *origin;   // of the page that opened it
static gint64 credits; // size of the messages that the agent still accepts; negative after a large one
static gint64 held_size;
static GQueue held = G_QUEUE_INIT, outgoing = G_QUEUE_INIT;
static gboolean delivering;               // the page is handling the first of `outgoing`
static WebKitScriptMessageReply *waiting; // the page's question for the next message
static JSCContext *context;

static void held_free(gpointer data)
{
    Held *message = data;
    g_free(message->text);
    g_clear_pointer(&message->reply, webkit_script_message_reply_unref);
    g_free(message);
}

static void outgoing_free(gpointer data)
{
    Outgoing *message = data;
    g_free(message->text);
    g_free(message);
}

static void reply_boolean(WebKitScriptMessageReply *reply, gboolean yes)
{
    g_autoptr(JSCValue) value = jsc_value_new_boolean(context, yes);
    webkit_script_message_reply_return_value(reply, value);
}

static JsonObject *channel_event(const char *name)
{
    JsonObject *event = link_event(name, NULL);
    json_object_set_int_member(event, "channel", channel);
    return event;
}

void channel_announce(void)
{
    if (!channel)
        return;
    JsonObject *event = channel_event("channel");
    json_object_set_boolean_member(event, "open", TRUE);
    link_send_text(event, "origin", g_strdup(origin));
}

// Gives the agent as many of the page's messages as it has given credits.
static void forward(void)
{
    while (credits > 0 && !g_queue_is_empty(&held)) {
        Held *message = g_queue_pop_head(&held);
        credits -= message->size; // before sending, which may lose the agent and with it the credits
        held_size -= message->size;
        JsonObject *event = channel_event("message");
        json_object_set_string_member(event, "origin", origin);
        link_send_text(event, "data", g_steal_pointer(&message->text));
        if (message->reply)
            reply_boolean(message->reply, TRUE);
        held_free(message);
    }
}

// Gives the page the next of the agent's messages when it has asked for one.
static void deliver(void)
{
    Outgoing *message = g_queue_peek_head(&outgoing);
    if (!waiting || !message)
        return;
    g_autoptr(JSCValue) value = jsc_value_new_string(context, message->text);
    webkit_script_message_reply_return_value(waiting, value);
    g_clear_pointer(&waiting, webkit_script_message_reply_unref);
    delivering = TRUE;
}

static void on_next(WebKitScriptMessageReply *reply)
{
    if (delivering) {
        Outgoing *taken = g_queue_pop_head(&outgoing);
        delivering = FALSE;
        link_answer(taken->call, NULL);
        outgoing_free(taken);
    }
    g_clear_pointer(&waiting, webkit_script_message_reply_unref);
    waiting = webkit_script_message_reply_ref(reply);
    deliver();
}

// Takes messages that the page has sent together. Without a reply, channel.js sends no more of them.
static void on_send(JSCValue *texts, WebKitScriptMessageReply *reply)
{
    for (guint at = 0;; at++) {
        g_autoptr(JSCValue) value = jsc_value_object_get_property_at_index(texts, at);
        if (!jsc_value_is_string(value))
            break;
        g_autofree char *text = jsc_value_to_string(value);
        gsize length = strlen(text);
        gint64 size = 1 + (gint64)(length / UNIT_BYTES);
        if (length > MAX_MESSAGE || held_size + size > MAX_HELD)
            return;
        Held *message = g_new0(Held, 1);
        message->text = g_steal_pointer(&text);
        message->size = size;
        held_size += size;
        g_queue_push_tail(&held, message);
    }
    Held *last = g_queue_peek_tail(&held);
    if (last && !last->reply)
        last->reply = webkit_script_message_reply_ref(reply);
    forward();
}

// The page's origin is that of the committed URI. The origin that channel.js sends must be the same: it differs if the
// message is a late one of the previous document, or if the document's origin is opaque, for example in a sandbox.
static gboolean on_open(const char *name, const char *sent_origin)
{
    static gint64 last;
    g_autofree char *committed = document_origin();
    if (channel || !name || !committed || g_strcmp0(sent_origin, committed) != 0)
        return FALSE;
    channel = ++last;
    token = g_strdup(name);
    origin = g_steal_pointer(&committed);
    channel_announce();
    return TRUE;
}

void channel_close(void)
{
    if (!channel)
        return;
    JsonObject *event = channel_event("channel");
    json_object_set_boolean_member(event, "open", FALSE);
    link_send_text(event, "origin", g_strdup(origin));
    channel = credits = held_size = 0;
    delivering = FALSE;
    g_clear_pointer(&token, g_free);
    g_clear_pointer(&origin, g_free);
    g_clear_pointer(&waiting, webkit_script_message_reply_unref);
    g_queue_clear_full(&held, held_free);
    for (Outgoing *message; (message = g_queue_pop_head(&outgoing)); outgoing_free(message))
        link_fail(message->call, "channel_closed", "the page closed its channel or was left");
}

static gboolean on_close_done(gpointer reply)
{
    reply_boolean(reply, TRUE);
    return G_SOURCE_REMOVE;
}

static char *member(JSCValue *message, const char *key)
{
    g_autoptr(JSCValue) value = jsc_value_object_get_property(message, key);
    return jsc_value_is_string(value) ? jsc_value_to_string(value) : NULL;
}

// Requests of channel.js. One that is left without a reply is answered with undefined.
static gboolean on_message(
    WebKitUserContentManager *content, JSCValue *message, WebKitScriptMessageReply *reply, gpointer data)
{
    if (!jsc_value_is_object(message))
        return TRUE;
    g_set_object(&context, jsc_value_get_context(message));
    g_autofree char *kind = member(message, "kind"), *name = member(message, "token");
    if (g_strcmp0(kind, "document") == 0) {
        g_autofree char *named = member(message, "text");
        document_set_named_origin(named);
    } else if (g_strcmp0(kind, "open") == 0) {
        g_autofree char *sent_origin = member(message, "text");
        reply_boolean(reply, on_open(name, sent_origin));
    } else if (!channel || g_strcmp0(name, token) != 0) {
        return TRUE; // of a channel that is closed
    } else if (g_strcmp0(kind, "send") == 0) {
        g_autoptr(JSCValue) texts = jsc_value_object_get_property(message, "texts");
        if (jsc_value_is_array(texts))
            on_send(texts, reply);
    } else if (g_strcmp0(kind, "next") == 0) {
        on_next(reply);
    } else if (g_strcmp0(kind, "close") == 0) {
        channel_close();
        g_timeout_add_full(G_PRIORITY_DEFAULT, CLOSE_MS, on_close_done, webkit_script_message_reply_ref(reply),
            (GDestroyNotify)webkit_script_message_reply_unref);
    }
    return TRUE;
}

void channel_send(Call call, gint64 number, const char *text)
{
    if (!channel || number != channel) {
        link_fail(call, "channel_closed", "the page has not opened this channel");
    } else if (strlen(text) > MAX_MESSAGE) {
        link_fail(call, "too_large", "the message has more than 1 MiB of JSON");
    } else if (g_queue_get_length(&outgoing) >= MAX_OUTGOING) {
        link_fail(call, "busy", "the page has not taken the messages before this one");
    } else {
        Outgoing *message = g_new0(Outgoing, 1);
        message->call = call;
        message->text = g_strdup(text);
        g_queue_push_tail(&outgoing, message);
        if (!delivering)
            deliver();
    }
}

void channel_credit(gint64 number, gint64 size)
{
    if (!channel || number != channel)
        return; // of a page that has been left meanwhile
    credits = MIN(credits + MAX(size, 0), MAX_HELD);
    forward();
}

void channel_agent_lost(void)
{
    credits = 0;
    // The page may be handling the first one. Nobody waits for the answers.
    while (g_queue_get_length(&outgoing) > (delivering ? 1 : 0))
        outgoing_free(g_queue_pop_tail(&outgoing));
}

void channel_prepare(WebKitUserContentManager *content)
{
    g_autoptr(WebKitUserScript) script = webkit_user_script_new_for_world(CHANNEL_SCRIPT,
        WEBKIT_USER_CONTENT_INJECT_TOP_FRAME, WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, NAME, NULL, NULL);
    g_signal_connect(content, "script-message-with-reply-received::" NAME, G_CALLBACK(on_message), NULL);
    webkit_user_content_manager_register_script_message_handler_with_reply(content, NAME, NAME);
    webkit_user_content_manager_add_script(content, script);
}
