// Whether frames reach the screen, and what is under the page.
#pragma once

#include "link.h"

#include <wpe/webkit.h>

void frame_connect(WebKitWebView *view, void (*shown)(void)); // `shown` is called for every frame on the screen
void frame_prepare(WebKitUserContentManager *content);
void frame_set_background(double grey); // from 0.0, black, to 1.0, white
void frame_whiten_with_content(void);   // white when the new document has painted something
void frame_content_complete(void);      // there will be no more content
void frame_check(Call call);            // answered when a frame has been shown
