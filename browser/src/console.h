// The page's console, as the module in the web process reports it (web-process/console.c).
#pragma once

#include <wpe/webkit.h>

void console_prepare(WebKitWebContext *context); // before the view is created
void console_connect(WebKitWebView *view);
void console_set(gboolean wanted); // also without a view
