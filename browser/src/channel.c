#include "channel.h"

#include "document.h"

#include <string.h>

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

struct Channel {
    const char *kind;
    gboolean (*allows)(const char *origin);
    gint64 number;
    char *token;    // names it in the page
    char *origin;   // of the page that opened it
    gint64 credits; // size of the messages that the agent still accepts; negative after a large one
    gint64 held_size;
    GQueue held, outgoing;
    guint delivering;                  // so many of `outgoing`, the first ones, are being handled by the page
    WebKitScriptMessageReply *waiting; // the page's question for the next messages
};

static JSCContext *context; // in which replies are made

Channel *channel_new(const char *kind, gboolean (*allows)(const char *origin))
{
    Channel *channel = g_new0(Channel, 1);
    channel->kind = kind;
    channel->allows = allows;
    return channel;
}

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

static void send_state(const Channel *channel, gboolean is_open)
{
    JsonObject *event = link_event("channel", "kind", channel->kind, NULL);
    json_object_set_int_member(event, "channel", channel->number);
    json_object_set_boolean_member(event, "open", is_open);
    link_send_text(event, "origin", g_strdup(channel->origin));
}

void channel_announce(Channel *channel)
{
    if (channel->number)
        send_state(channel, TRUE);
}

// Gives the agent as many of the page's messages as it has given credits.
static void forward(Channel *channel)
{
    while (channel->credits > 0 && !g_queue_is_empty(&channel->held)) {
        Held *message = g_queue_pop_head(&channel->held);
        channel->credits -= message->size; // before sending, which may lose the agent and with it the credits
        channel->held_size -= message->size;
        JsonObject *event = link_event("message", NULL);
        json_object_set_int_member(event, "channel", channel->number);
        json_object_set_string_member(event, "origin", channel->origin);
        link_send_text(event, "data", g_steal_pointer(&message->text));
        if (message->reply)
            reply_boolean(message->reply, TRUE);
        held_free(message);
    }
}

// Gives the page all of the agent's messages that wait, when it has asked for some.
static void deliver(Channel *channel)
{
    if (!channel->waiting || g_queue_is_empty(&channel->outgoing))
        return;
    const char *texts[MAX_OUTGOING + 1] = {0};
    channel->delivering = 0;
    for (GList *link = channel->outgoing.head; link; link = link->next)
        texts[channel->delivering++] = ((Outgoing *)link->data)->text;
    g_autoptr(JSCValue) value = jsc_value_new_array_from_strv(context, texts);
    webkit_script_message_reply_return_value(channel->waiting, value);
    g_clear_pointer(&channel->waiting, webkit_script_message_reply_unref);
}

static void on_next(Channel *channel, WebKitScriptMessageReply *reply)
{
    while (channel->delivering > 0) {
        channel->delivering--; // before answering, which may lose the agent
        Outgoing *taken = g_queue_pop_head(&channel->outgoing);
        link_answer(taken->call, NULL);
        outgoing_free(taken);
    }
    if (!channel->number)
        return; // closed because the agent was lost
    g_clear_pointer(&channel->waiting, webkit_script_message_reply_unref);
    channel->waiting = webkit_script_message_reply_ref(reply);
    deliver(channel);
}

// Takes messages that the page has sent together. Without a reply, channel.js sends no more of them.
static void on_send(Channel *channel, JSCValue *texts, WebKitScriptMessageReply *reply)
{
    for (guint at = 0;; at++) {
        g_autoptr(JSCValue) value = jsc_value_object_get_property_at_index(texts, at);
        if (!jsc_value_is_string(value))
            break;
        g_autofree char *text = jsc_value_to_string(value);
        gsize length = strlen(text);
        gint64 size = 1 + (gint64)(length / UNIT_BYTES);
        if (length > MAX_MESSAGE || channel->held_size + size > MAX_HELD)
            return;
        Held *message = g_new0(Held, 1);
        message->text = g_steal_pointer(&text);
        message->size = size;
        channel->held_size += size;
        g_queue_push_tail(&channel->held, message);
    }
    Held *last = g_queue_peek_tail(&channel->held);
    if (last && !last->reply)
        last->reply = webkit_script_message_reply_ref(reply);
    forward(channel);
}

// The page's origin is that of the committed URI. The origin that channel.js sends must be the same: it differs if the
// message is a late one of the previous document, or if the document's origin is opaque, for example in a sandbox.
static gboolean on_open(Channel *channel, const char *token, const char *sent_origin)
{
    static gint64 last; // of the channels of all kinds
    g_autofree char *committed = document_origin();
    if (channel->number || !token || !committed || g_strcmp0(sent_origin, committed) != 0 ||
        (channel->allows && !channel->allows(committed)))
        return FALSE;
    channel->number = ++last;
    channel->token = g_strdup(token);
    channel->origin = g_steal_pointer(&committed);
    send_state(channel, TRUE);
    return TRUE;
}

void channel_close(Channel *channel)
{
    if (!channel->number)
        return;
    send_state(channel, FALSE);
    channel->number = channel->credits = channel->held_size = 0;
    channel->delivering = 0;
    g_clear_pointer(&channel->token, g_free);
    g_clear_pointer(&channel->origin, g_free);
    g_clear_pointer(&channel->waiting, webkit_script_message_reply_unref); // tells channel.js
    g_queue_clear_full(&channel->held, held_free);
    for (Outgoing *message; (message = g_queue_pop_head(&channel->outgoing)); outgoing_free(message))
        link_fail(
            message->call, "channel_closed", "the page closed its channel, was left or is not allowed it any more");
}

void channel_check_origin(Channel *channel)
{
    if (channel->number && channel->allows && !channel->allows(channel->origin))
        channel_close(channel);
}

static gboolean on_close_done(gpointer reply)
{
    reply_boolean(reply, TRUE);
    return G_SOURCE_REMOVE;
}

void channel_take(Channel *channel, const ChannelRequest *request)
{
    g_set_object(&context, jsc_value_get_context(request->texts));
    if (g_strcmp0(request->name, "open") == 0) {
        reply_boolean(request->reply, on_open(channel, request->token, request->origin));
    } else if (!channel->number || g_strcmp0(request->token, channel->token) != 0) {
        return; // of an opening that is over
    } else if (g_strcmp0(request->name, "send") == 0) {
        if (jsc_value_is_array(request->texts))
            on_send(channel, request->texts, request->reply);
    } else if (g_strcmp0(request->name, "next") == 0) {
        on_next(channel, request->reply);
    } else if (g_strcmp0(request->name, "close") == 0) {
        channel_close(channel);
        g_timeout_add_full(G_PRIORITY_DEFAULT, CLOSE_MS, on_close_done, webkit_script_message_reply_ref(request->reply),
            (GDestroyNotify)webkit_script_message_reply_unref);
    }
}

gint64 channel_number(const Channel *channel)
{
    return channel->number;
}

void channel_send(Channel *channel, Call call, const char *text)
{
    if (strlen(text) > MAX_MESSAGE) {
        link_fail(call, "too_large", "the message has more than 1 MiB of JSON");
    } else if (g_queue_get_length(&channel->outgoing) >= MAX_OUTGOING) {
        link_fail(call, "busy", "the page has not taken the messages before this one");
    } else {
        Outgoing *message = g_new0(Outgoing, 1);
        message->call = call;
        message->text = g_strdup(text);
        g_queue_push_tail(&channel->outgoing, message);
        if (!channel->delivering)
            deliver(channel);
    }
}

void channel_credit(Channel *channel, gint64 size)
{
    channel->credits = MIN(channel->credits + MAX(size, 0), MAX_HELD);
    forward(channel);
}

void channel_agent_lost(Channel *channel)
{
    channel->credits = 0;
    // The page may be handling the first ones. Nobody waits for the answers.
    while (g_queue_get_length(&channel->outgoing) > channel->delivering)
        outgoing_free(g_queue_pop_tail(&channel->outgoing));
}
