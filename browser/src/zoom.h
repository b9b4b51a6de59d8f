// Whether people can zoom, by pinching or with the control key.
#pragma once

#include <wpe/webkit.h>

void zoom_connect(WebKitWebView *view);
void zoom_configure(gboolean allowed);
