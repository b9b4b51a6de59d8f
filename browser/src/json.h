// Members of JSON objects; NULL, 0 or FALSE if there is none.
#pragma once

#include <json-glib/json-glib.h>

const char *text_of(JsonObject *object, const char *key);
gint64 number_of(JsonObject *object, const char *key);
gboolean is_set(JsonObject *object, const char *key);
JsonObject *object_of(JsonObject *object, const char *key); // NULL also for another type
JsonArray *array_of(JsonObject *object, const char *key);   // the same
void add_texts(GStrvBuilder *builder, JsonArray *texts);    // NULL: none
char *object_to_text(JsonObject *object);                   // in one line
