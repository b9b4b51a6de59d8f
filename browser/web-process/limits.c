#include "limits.h"

#include <string.h>

#define UNIT_BYTES 1024

gboolean console_budget_take(ConsoleBudget *budget, gsize bytes, gint64 now)
{
    double more = (double)(now - budget->counted_at) * CONSOLE_PER_S / G_USEC_PER_SEC;
    budget->left = MIN(budget->left + more, CONSOLE_AT_ONCE);
    budget->counted_at = now;
    if (budget->left < 1)
        return FALSE;
    budget->left -= 1.0 + (double)bytes / UNIT_BYTES;
    return TRUE;
}

char *console_text(const char *text)
{
    if (!text)
        return g_strdup("");
    // Cut twice: characters that stand for invalid bytes are longer than these.
    char *valid = g_utf8_make_valid(text, (gssize)strnlen(text, CONSOLE_TEXT + 4));
    gsize length = strlen(valid);
    if (length > CONSOLE_TEXT)
        *g_utf8_find_prev_char(valid, valid + CONSOLE_TEXT + 1) = '\0';
    return valid;
}
