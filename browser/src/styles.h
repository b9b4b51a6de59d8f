// Whether people can select text, and whether the mouse pointer is visible.
#pragma once

#include <wpe/webkit.h>

void selection_configure(WebKitUserContentManager *content, gboolean allowed);
void pointer_configure(WebKitUserContentManager *content, const char *pointer); // NULL: as pages ask
