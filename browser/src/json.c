#include "json.h"

const char *text_of(JsonObject *object, const char *key)
{
    return json_object_get_string_member_with_default(object, key, NULL);
}

gint64 number_of(JsonObject *object, const char *key)
{
    return json_object_get_int_member_with_default(object, key, 0);
}

gboolean is_set(JsonObject *object, const char *key)
{
    return json_object_get_boolean_member_with_default(object, key, FALSE);
}

JsonObject *object_of(JsonObject *object, const char *key)
{
    JsonNode *node = json_object_get_member(object, key);
    return node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

JsonArray *array_of(JsonObject *object, const char *key)
{
    JsonNode *node = json_object_get_member(object, key);
    return node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
}

void add_texts(GStrvBuilder *builder, JsonArray *texts)
{
    for (guint i = 0; texts && i < json_array_get_length(texts); i++)
        g_strv_builder_add(builder, json_array_get_string_element(texts, i));
}

char *object_to_text(JsonObject *object)
{
    g_autoptr(JsonNode) root = json_node_init_object(json_node_alloc(), object);
    return json_to_string(root, FALSE);
}
