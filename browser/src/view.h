// The one web view. It exists from the first `configure` on, because some settings only work at its creation. Connects
// all other parts of the browser to it.
#pragma once

#include <json-glib/json-glib.h>
#include <wpe/webkit.h>

typedef struct {
    const char *user_agent; // NULL: WebKit's own
    JsonArray *languages;   // NULL or empty: en-US
    gboolean ignore_tls_errors;
    guint memory_limit_mb;  // of one web process; 0: none
    guint inspector_port;   // 0: no inspector
    JsonObject *proxy;      // NULL: none
    JsonArray *permissions; // NULL: none
    gboolean text_selection;
    gboolean zoom;
    const char *pointer; // NULL: as pages ask
} Settings;

WebKitWebView *view_get(void);
// Connects to the compositor. Cookies, storage and cache will be kept in the folder.
gboolean view_start(const char *data_folder, GError **error);
// FALSE: takes effect in a new process only. NULL: without an agent; its first settings do not need a new process.
gboolean view_configure(const Settings *settings);
