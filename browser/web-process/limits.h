// What the page's console may cost. No WebKit in it, so that it is tested alone.
#pragma once

#include <glib.h>

#define CONSOLE_TEXT 16384 // bytes of a message's text and of its source
#define CONSOLE_AT_ONCE 200
#define CONSOLE_PER_S 20

// How much may be sent: a message costs 1, and 1 more for each KiB. Begins as {CONSOLE_AT_ONCE, 0}.
typedef struct {
    double left;       // below 0 after a long message
    gint64 counted_at; // in µs
} ConsoleBudget;

// Whether a message of this many bytes may be sent now. If so, it is paid.
gboolean console_budget_take(ConsoleBudget *budget, gsize bytes, gint64 now);
// A copy in valid UTF-8 of at most CONSOLE_TEXT bytes, cut between two characters. NULL gives "".
char *console_text(const char *text);
