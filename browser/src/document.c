#include "document.h"

#include <wpe/webkit.h>

static char *uri;
static char *named_origin;

const char *document_uri(void)
{
    return uri;
}

void document_set_uri(const char *committed)
{
    g_set_str(&uri, committed);
}

gboolean document_is_ours(void)
{
    return uri && g_str_has_prefix(uri, "vitrine:");
}

char *document_origin(void)
{
    return origin_of(uri);
}

char *document_certain_origin(void)
{
    g_autofree char *origin = document_origin();
    return g_strcmp0(origin, named_origin) == 0 ? g_steal_pointer(&origin) : NULL;
}

void document_set_named_origin(const char *origin)
{
    g_set_str(&named_origin, origin);
}

char *origin_of(const char *any)
{
    g_autoptr(WebKitSecurityOrigin) origin = any ? webkit_security_origin_new_for_uri(any) : NULL;
    return origin ? webkit_security_origin_to_string(origin) : NULL;
}
