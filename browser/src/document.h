// The document on the screen. load.c sets its URI.
#pragma once

#include <glib.h>

const char *document_uri(void); // NULL when there is none
void document_set_uri(const char *uri);
gboolean document_is_ours(void); // the agent's own page
char *document_origin(void);     // of its URI
// As document_origin, but NULL if it is not certain: while the agent leads from a page to another one, WebKit may name
// the other one's URI when the page commits a navigation of its own.
char *document_certain_origin(void);
void document_set_named_origin(const char *origin); // as the document's process says; NULL: it has said none
char *origin_of(const char *uri);                   // NULL for an opaque one
