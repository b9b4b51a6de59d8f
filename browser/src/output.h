// The lines that wait to be written to the agent.
#pragma once

#include <json-glib/json-glib.h>

void output_push(JsonObject *message);                                   // before all that output_push_text took
void output_push_text(JsonObject *message, const char *key, char *text); // takes both
GBytes *output_next(void);                                               // what to write next; NULL when nothing waits
gsize output_size(void); // bytes of the waiting messages, roughly, without texts sent in parts
void output_clear(void);
