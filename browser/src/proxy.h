// Through which proxies pages are loaded.
#pragma once

#include <json-glib/json-glib.h>
#include <wpe/webkit.h>

void proxy_prepare(JsonObject *proxy); // before the session is created
void proxy_configure(WebKitNetworkSession *session, JsonObject *proxy);
void proxy_announce(void); // to an agent that has just connected
