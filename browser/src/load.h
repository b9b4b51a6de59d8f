// Loads and their events.
#pragma once

#include <wpe/webkit.h>

// `page_left` is called before the next document's commit is reported, and when the page's process has ended.
void load_connect(WebKitWebView *view, void (*page_left)(void));
void load_uri(gint64 id, const char *uri, const char *html); // html: the agent's own page; NULL loads the URI
// Whether a navigation may begin: while the agent's load is on its way, only that one. `is_new`: without data to send.
gboolean load_may_begin(const char *uri, gboolean is_new, gboolean is_redirect);
void load_again(gint64 id, gboolean bypass_cache);
void load_agent_lost(void);
void load_frame_shown(void);                                    // by the compositor
const char *load_expected_uri(void);                            // what the agent asked for, until a page is there
void load_set_status(guint status, gboolean asks_for_password); // of the document that is being loaded
void load_fail(const char *kind, const char *uri, const char *message);
void load_refuse_redirect(const char *uri);
