#include "permissions.h"

#include "document.h"
#include "refusals.h"

static GHashTable *allowed; // "kind origin"

gboolean permissions_configure(JsonArray *list)
{
    gboolean captures = FALSE;
    g_clear_pointer(&allowed, g_hash_table_unref);
    allowed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; list && i < json_array_get_length(list); i++) {
        JsonObject *entry = json_array_get_object_element(list, i);
        const char *kind = json_object_get_string_member_with_default(entry, "kind", "");
        const char *origin = json_object_get_string_member_with_default(entry, "origin", "");
        captures |= g_str_equal(kind, "camera") || g_str_equal(kind, "microphone");
        g_hash_table_add(allowed, g_strdup_printf("%s %s", kind, origin));
    }
    return captures;
}

// Decided for the document on the screen. WebKit does not say which frame asks, but frames of other origins get nothing
// that this document does not hand on to them (its `allow` attribute).
static gboolean is_allowed(const char *kind)
{
    g_autofree char *origin = document_certain_origin();
    g_autofree char *key = origin ? g_strdup_printf("%s %s", kind, origin) : NULL;
    return key && allowed && g_hash_table_contains(allowed, key);
}

static gboolean may_capture(WebKitUserMediaPermissionRequest *request)
{
    gboolean audio = webkit_user_media_permission_is_for_audio_device(request);
    gboolean video = webkit_user_media_permission_is_for_video_device(request);
    if (webkit_user_media_permission_is_for_display_device(request))
        return FALSE; // somebody would have to choose what is captured
    return (audio || video) && (!audio || is_allowed("microphone")) && (!video || is_allowed("camera"));
}

static gboolean may_have(WebKitPermissionRequest *request)
{
    if (WEBKIT_IS_USER_MEDIA_PERMISSION_REQUEST(request))
        return may_capture(WEBKIT_USER_MEDIA_PERMISSION_REQUEST(request));
    if (WEBKIT_IS_DEVICE_INFO_PERMISSION_REQUEST(request))
        return is_allowed("camera") || is_allowed("microphone"); // the devices' names
    if (WEBKIT_IS_GEOLOCATION_PERMISSION_REQUEST(request))
        return is_allowed("geolocation");
    if (WEBKIT_IS_NOTIFICATION_PERMISSION_REQUEST(request))
        return is_allowed("notifications");
    return FALSE; // also pointer lock, which the compositor does not have
}

static gboolean on_permission(WebKitWebView *self, WebKitPermissionRequest *request, gpointer data)
{
    if (may_have(request)) {
        webkit_permission_request_allow(request);
    } else {
        refusal_send("permission", G_OBJECT_TYPE_NAME(request));
        webkit_permission_request_deny(request);
    }
    return TRUE;
}

// `navigator.permissions.query()`. Names follow the Permissions API; most match ours.
static gboolean on_query(WebKitWebView *self, WebKitPermissionStateQuery *query, gpointer data)
{
    g_autofree char *origin =
        webkit_security_origin_to_string(webkit_permission_state_query_get_security_origin(query));
    g_autofree char *here = document_certain_origin();
    gboolean granted = g_strcmp0(origin, here) == 0 && is_allowed(webkit_permission_state_query_get_name(query));
    webkit_permission_state_query_finish(
        query, granted ? WEBKIT_PERMISSION_STATE_GRANTED : WEBKIT_PERMISSION_STATE_DENIED);
    return TRUE;
}

// There is no place on the screen to show one: the page is told that it was shown.
static gboolean on_notification(WebKitWebView *self, WebKitNotification *notification, gpointer data)
{
    return TRUE;
}

void permissions_connect(WebKitWebView *view)
{
    g_signal_connect(view, "permission-request", G_CALLBACK(on_permission), NULL);
    g_signal_connect(view, "query-permission-state", G_CALLBACK(on_query), NULL);
    g_signal_connect(view, "show-notification", G_CALLBACK(on_notification), NULL);
}
