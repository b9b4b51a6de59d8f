// Scripts of the agent in the page.
#pragma once

#include "link.h"

#include <wpe/webkit.h>

void evaluate_connect(WebKitWebView *view);
void evaluate(Call call, const char *body, guint timeout_ms);
void evaluate_interrupt(void); // the page is gone, or the agent
