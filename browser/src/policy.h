// Where pages may navigate.
#pragma once

#include <wpe/webkit.h>

void policy_connect(WebKitWebView *view, WebKitNetworkSession *session);
