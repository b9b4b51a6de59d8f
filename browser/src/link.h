// The connection to the agent. It reconnects by itself; messages without a connection are dropped.
#pragma once

#include <json-glib/json-glib.h>

typedef struct {
    void (*connected)(void);
    void (*command)(JsonObject *command);
    void (*lost)(void);
} LinkHandlers;
// A command that waits for its answer. An answer to a command of an earlier connection is dropped.
typedef struct {
    gint64 id;
    guint connection;
} Call;

void link_start(const char *socket, const LinkHandlers *handlers);
// Texts as name and value, then NULL. Long ones are cut; a value of NULL becomes null.
JsonObject *link_event(const char *name, ...) G_GNUC_NULL_TERMINATED;
gboolean link_send(JsonObject *message); // takes the message; FALSE: there is no agent
// Sends `text` as the message's member `key`, in parts when it is long. These messages keep their order among
// themselves; those of link_send overtake them. Takes both.
void link_send_text(JsonObject *message, const char *key, char *text);
gboolean link_is_congested(void); // the agent reads more slowly than we write
Call link_call(gint64 id);
void link_answer(Call call, JsonObject *fields);               // takes the fields; NULL: none
void link_answer_text(Call call, const char *key, char *text); // takes the text
void link_fail(Call call, const char *code, const char *message);
