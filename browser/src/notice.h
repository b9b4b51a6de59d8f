// A text of the agent at the upper edge of the screen, above whatever page there is.
#pragma once

#include <wpe/webkit.h>

#define NOTICE_CHARACTERS 200 // at most

void notice_connect(WebKitWebView *view);
void notice_set(const char *text); // NULL: none
