// What pages do not get: windows, dialogs, passwords.
#pragma once

#include <wpe/webkit.h>

void refusals_connect(WebKitWebView *view);
void refusal_send(const char *what, const char *detail); // reports it to the agent
