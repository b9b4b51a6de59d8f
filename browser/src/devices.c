#include "devices.h"

#include "channels.h"
#include "document.h"

#include <string.h>

#define MAX_ORIGINS 128
#define MAX_SCRIPT (256u * 1024)

static GStrv allowed;
static WebKitUserScript *page_script;    // in the page's own world: the interfaces
static WebKitUserScript *channel_script; // in the world of channel.js: the listeners
static WebKitUserContentManager *content;

gboolean devices_allows(const char *origin)
{
    return allowed && g_strv_contains((const char *const *)allowed, origin);
}

// Only origins as WebKit writes them can be equal to that of a document. "null", which opaque ones have in scripts, is
// none.
static GStrv origins_among(JsonArray *texts)
{
    g_autoptr(GStrvBuilder) valid = g_strv_builder_new();
    for (guint i = 0; i < json_array_get_length(texts); i++) {
        JsonNode *node = json_array_get_element(texts, i);
        const char *text = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL;
        g_autofree char *origin = origin_of(text);
        if (origin && g_str_equal(origin, text))
            g_strv_builder_add(valid, origin);
    }
    return g_strv_builder_end(valid);
}

// As a literal of JavaScript.
static char *allowed_as_json(void)
{
    JsonArray *texts = json_array_new();
    for (guint i = 0; allowed[i]; i++)
        json_array_add_string_element(texts, allowed[i]);
    g_autoptr(JsonNode) node = json_node_init_array(json_node_alloc(), texts);
    json_array_unref(texts);
    return json_to_string(node, FALSE);
}

// Does nothing in documents of other origins. It runs before the page's scripts, so what it uses is not replaced.
static WebKitUserScript *guarded(const char *world, const char *source)
{
    g_autofree char *list = allowed_as_json();
    g_autofree char *text =
        g_strconcat("(() => { if (!", list, ".includes(window.origin)) return;\n", source, "\n})();", NULL);
    if (world)
        return webkit_user_script_new_for_world(
            text, WEBKIT_USER_CONTENT_INJECT_TOP_FRAME, WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, world, NULL, NULL);
    return webkit_user_script_new(
        text, WEBKIT_USER_CONTENT_INJECT_TOP_FRAME, WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, NULL, NULL);
}

static void inject(void)
{
    if (!content || !page_script)
        return;
    webkit_user_content_manager_add_script(content, channel_script);
    webkit_user_content_manager_add_script(content, page_script);
}

static void drop(WebKitUserScript **script)
{
    if (*script && content)
        webkit_user_content_manager_remove_script(content, *script);
    g_clear_pointer(script, webkit_user_script_unref);
}

gboolean devices_serve(JsonArray *origins, const char *script)
{
    if (!script || json_array_get_length(origins) > MAX_ORIGINS || strlen(script) > MAX_SCRIPT)
        return FALSE;
    g_strfreev(allowed);
    allowed = origins_among(origins);
    drop(&page_script);
    drop(&channel_script);
    if (allowed[0]) {
        channel_script = guarded(CHANNELS_WORLD, "vitrineServe('devices', 'vitrine-devices');");
        page_script = guarded(NULL, script);
        inject();
    }
    channels_check_origins();
    return TRUE;
}

void devices_prepare(WebKitUserContentManager *created)
{
    content = created;
    inject();
}
