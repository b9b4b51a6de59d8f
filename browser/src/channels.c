#include "channels.h"

#include "channel.h"
#include "devices.h"
#include "document.h"
#include "scripts.h"

static const struct {
    const char *kind;
    gboolean (*allows)(const char *origin);
    void (*on_agent_lost)(Channel *channel);
} kinds[] = {
    {"page", NULL, channel_agent_lost},
    // The next agent has no answer to calls of this one, and counts peripherals anew.
    {"devices", devices_allows, channel_close},
};

static Channel *channels[G_N_ELEMENTS(kinds)];

static char *member(JSCValue *message, const char *key)
{
    g_autoptr(JSCValue) value = jsc_value_object_get_property(message, key);
    return jsc_value_is_string(value) ? jsc_value_to_string(value) : NULL;
}

static void take_channel_request(const char *name, JSCValue *message, WebKitScriptMessageReply *reply)
{
    g_autofree char *kind = member(message, "kind"), *token = member(message, "token"),
                    *origin = member(message, "origin");
    g_autoptr(JSCValue) texts = jsc_value_object_get_property(message, "texts");
    const ChannelRequest request = {name, token, origin, texts, reply};
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (g_strcmp0(kind, kinds[i].kind) == 0)
            channel_take(channels[i], &request);
}

// Requests of channel.js. One that is left without a reply is answered with undefined.
static gboolean on_message(
    WebKitUserContentManager *content, JSCValue *message, WebKitScriptMessageReply *reply, gpointer data)
{
    if (!jsc_value_is_object(message))
        return TRUE;
    g_autofree char *name = member(message, "request");
    if (g_strcmp0(name, "document") == 0) {
        g_autofree char *origin = member(message, "origin");
        document_set_named_origin(origin);
    } else {
        take_channel_request(name, message, reply);
    }
    return TRUE;
}

static Channel *find(gint64 number)
{
    for (guint i = 0; i < G_N_ELEMENTS(channels); i++)
        if (channels[i] && number > 0 && channel_number(channels[i]) == number)
            return channels[i];
    return NULL;
}

void channels_send(Call call, gint64 number, const char *text)
{
    Channel *channel = find(number);
    if (channel)
        channel_send(channel, call, text);
    else
        link_fail(call, "channel_closed", "the page has not opened this channel");
}

void channels_credit(gint64 number, gint64 size)
{
    Channel *channel = find(number);
    if (channel) // else it was of a page that has been left meanwhile
        channel_credit(channel, size);
}

static void each(void (*act)(Channel *channel))
{
    for (guint i = 0; i < G_N_ELEMENTS(channels); i++)
        if (channels[i]) // there are none before the view
            act(channels[i]);
}

void channels_close(void)
{
    each(channel_close);
}

void channels_check_origins(void)
{
    each(channel_check_origin);
}

static Channel *opened_after(gint64 number)
{
    Channel *first = NULL;
    for (guint i = 0; i < G_N_ELEMENTS(channels); i++) {
        gint64 own = channels[i] ? channel_number(channels[i]) : 0;
        if (own > number && (!first || own < channel_number(first)))
            first = channels[i];
    }
    return first;
}

// The agent takes rising numbers only.
void channels_announce(void)
{
    Channel *channel = NULL;
    while ((channel = opened_after(channel ? channel_number(channel) : 0)))
        channel_announce(channel);
}

void channels_agent_lost(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(channels); i++)
        if (channels[i])
            kinds[i].on_agent_lost(channels[i]);
}

void channels_prepare(WebKitUserContentManager *content)
{
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
        channels[i] = channel_new(kinds[i].kind, kinds[i].allows);
    g_autoptr(WebKitUserScript) script = webkit_user_script_new_for_world(CHANNEL_SCRIPT,
        WEBKIT_USER_CONTENT_INJECT_TOP_FRAME, WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, CHANNELS_WORLD, NULL, NULL);
    g_signal_connect(content, "script-message-with-reply-received::" CHANNELS_WORLD, G_CALLBACK(on_message), NULL);
    webkit_user_content_manager_register_script_message_handler_with_reply(content, CHANNELS_WORLD, CHANNELS_WORLD);
    webkit_user_content_manager_add_script(content, script);
}
