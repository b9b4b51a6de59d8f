// What the agent asks for.
#pragma once

#include <json-glib/json-glib.h>

void command_handle(JsonObject *command);
