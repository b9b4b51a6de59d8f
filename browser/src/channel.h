// Messages between the page and the agent.
#pragma once

#include "link.h"

#include <wpe/webkit.h>

void channel_prepare(WebKitUserContentManager *content);
void channel_send(Call call, gint64 channel, const char *text);
void channel_credit(gint64 channel, gint64 size);
void channel_close(void);    // the page is gone
void channel_announce(void); // to an agent that has just connected
void channel_agent_lost(void);
