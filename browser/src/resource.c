#include "resource.h"

#include "document.h"
#include "link.h"

#define MAX_WAITING 32 // requests that the agent has not answered; further ones fail
#define BURST 16       // requests that pages may make at once: an answer may be megabytes
#define REFILL_MS 1000 // after this time, they may make one more

static GHashTable *waiting; // requests that the agent has not answered, by number

static void refuse(WebKitURISchemeRequest *request)
{
    g_autoptr(GError) error = g_error_new_literal(G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "there is no such resource");
    webkit_uri_scheme_request_finish_error(request, error);
}

// Whether pages may make another request. A new page does not reset the count, because it may be the same one.
static gboolean take_turn(void)
{
    static gint64 used_until; // when the allowance will be full again, in ms
    gint64 now = g_get_monotonic_time() / 1000;
    if (used_until > now + (BURST - 1) * REFILL_MS)
        return FALSE;
    used_until = MAX(used_until, now) + REFILL_MS;
    return TRUE;
}

static void on_request(WebKitURISchemeRequest *request, gpointer data)
{
    static gint number;
    if (g_hash_table_size(waiting) >= MAX_WAITING || (!document_is_ours() && !take_turn())) {
        refuse(request);
        return;
    }
    JsonObject *event = link_event("resource", "uri", webkit_uri_scheme_request_get_uri(request), NULL);
    json_object_set_int_member(event, "request", ++number);
    if (link_send(event))
        g_hash_table_insert(waiting, GINT_TO_POINTER(number), g_object_ref(request));
    else
        refuse(request);
}

void resource_serve(WebKitWebContext *context)
{
    waiting = g_hash_table_new_full(NULL, NULL, NULL, g_object_unref);
    webkit_web_context_register_uri_scheme(context, "vitrine", on_request, NULL, NULL);
    // Otherwise pages loaded over https could not fetch it.
    webkit_security_manager_register_uri_scheme_as_secure(webkit_web_context_get_security_manager(context), "vitrine");
}

void resource_answer(gint64 number, const char *content_type, const char *base64)
{
    g_autoptr(WebKitURISchemeRequest) request = NULL;
    if (!g_hash_table_steal_extended(waiting, GINT_TO_POINTER(number), NULL, (gpointer *)&request))
        return; // a request of an earlier connection
    if (!base64) {
        refuse(request);
        return;
    }
    gsize size;
    guchar *bytes = g_base64_decode(base64, &size);
    g_autoptr(GInputStream) stream = g_memory_input_stream_new_from_data(bytes, (gssize)size, g_free);
    webkit_uri_scheme_request_finish(request, stream, (gint64)size, content_type);
}

void resource_refuse_all(void)
{
    GHashTableIter iter;
    gpointer request;
    if (!waiting)
        return;
    for (g_hash_table_iter_init(&iter, waiting); g_hash_table_iter_next(&iter, NULL, &request);
        g_hash_table_iter_remove(&iter))
        refuse(request);
}
