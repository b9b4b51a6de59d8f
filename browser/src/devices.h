// Pages that may use peripherals: they get a script of the agent, and a channel for it.
#pragma once

#include <json-glib/json-glib.h>
#include <wpe/webkit.h>

// After channels_prepare. Applies what devices_serve was given before.
void devices_prepare(WebKitUserContentManager *content);
// From now on, documents of these origins get the script, and may open the channel; it is closed in others. Also before
// there is a view. FALSE: too many origins, no script, or too long a one; nothing changes.
gboolean devices_serve(JsonArray *origins, const char *script);
gboolean devices_allows(const char *origin);
