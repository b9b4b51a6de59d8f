// Which origins may use cameras, positions and the like.
#pragma once

#include <json-glib/json-glib.h>
#include <wpe/webkit.h>

gboolean permissions_configure(JsonArray *allowed); // TRUE: some origin may use a camera or a microphone
void permissions_connect(WebKitWebView *view);
