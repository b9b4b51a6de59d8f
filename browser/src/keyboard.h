// The on-screen keyboard.
#pragma once

#include <wpe/webkit.h>

void keyboard_connect(WebKitWebView *view);
void keyboard_configure(gboolean enabled, const guint *languages, guint count); // numbers of language_find
void keyboard_page_left(void);
