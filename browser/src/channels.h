// The channels of the document on the screen: one for hosts, and one for peripherals.
#pragma once

#include "link.h"

#include <wpe/webkit.h>

#define CHANNELS_WORLD "vitrine" // the script world of channel.js, and the message handler, which only that world has

void channels_prepare(WebKitUserContentManager *content);
void channels_send(Call call, gint64 number, const char *text);
void channels_credit(gint64 number, gint64 size);
void channels_close(void);         // the page is gone
void channels_check_origins(void); // which ones are allowed has changed
void channels_announce(void);      // to an agent that has just connected
void channels_agent_lost(void);
