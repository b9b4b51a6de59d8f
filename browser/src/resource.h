// What pages fetch from vitrine:, which the agent answers.
#pragma once

#include <wpe/webkit.h>

void resource_serve(WebKitWebContext *context);
void resource_answer(gint64 number, const char *content_type, const char *base64); // NULL: there is none
void resource_refuse_all(void);
