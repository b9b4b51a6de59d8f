// A channel between the page on the screen and the agent. There is one of each kind (channels.c).
#pragma once

#include "link.h"

#include <wpe/webkit.h>

typedef struct Channel Channel;
// What channel.js asks for. It may hold anything: the process of the page sends it.
typedef struct {
    const char *name;   // "open", "send", "next" or "close"
    const char *token;  // names the opening
    const char *origin; // of the document, to open
    JSCValue *texts;    // messages to send
    WebKitScriptMessageReply *reply;
} ChannelRequest;

// `allows`: whether documents of this origin may open it; NULL: all may. Lives as long as the process.
Channel *channel_new(const char *kind, gboolean (*allows)(const char *origin));
void channel_take(Channel *channel, const ChannelRequest *request);
gint64 channel_number(const Channel *channel); // of this opening; 0: closed
void channel_send(Channel *channel, Call call, const char *text);
void channel_credit(Channel *channel, gint64 size);
void channel_close(Channel *channel);        // nothing if it is closed
void channel_check_origin(Channel *channel); // closes it if it is not allowed any more
void channel_announce(Channel *channel);     // to an agent that has just connected
void channel_agent_lost(Channel *channel);
