#include "link.h"

#include "output.h"

#include <gio/gunixsocketaddress.h>
#include <stdlib.h>
#include <string.h>

#define RETRY_MS 250
#define GIVE_UP_S 300                  // without an agent; then this process exits, so that its unit starts it again
#define MAX_TEXT 16384                 // of a text in an event that a page can choose
#define MAX_COMMAND (8u * 1024 * 1024) // one line from the agent
#define MAX_QUEUE (16u * 1024 * 1024)  // unread output; above it the agent hangs
#define CONGESTED (256u * 1024)        // unread output above which unimportant events are dropped

static const char *path;
static const LinkHandlers *handlers;
static GSocketConnection *connection;
static guint connection_number;
static GCancellable *cancel; // one for each connection
static GString *input;
static char chunk[64 * 1024];
static gboolean writing;
static gint64 lost_since;

static gboolean dial(gpointer data);
static void flush_output(void);

static void drop(const char *why)
{
    if (!connection)
        return;
    g_message("agent connection closed: %s", why);
    g_cancellable_cancel(cancel);
    g_clear_object(&cancel);
    g_io_stream_close_async(G_IO_STREAM(connection), G_PRIORITY_DEFAULT, NULL, NULL, NULL);
    g_clear_object(&connection);
    g_string_truncate(input, 0);
    output_clear();
    writing = FALSE;
    lost_since = g_get_monotonic_time();
    g_timeout_add(RETRY_MS, dial, NULL);
    handlers->lost();
}

static void on_written(GObject *stream, GAsyncResult *result, gpointer data)
{
    g_autoptr(GBytes) bytes = data;
    g_autoptr(GError) error = NULL;
    gboolean ok = g_output_stream_write_all_finish(G_OUTPUT_STREAM(stream), result, NULL, &error);
    if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        return; // of an earlier connection
    writing = FALSE;
    if (ok)
        flush_output();
    else
        drop(error->message);
}

static void flush_output(void)
{
    if (!connection || writing)
        return;
    GBytes *bytes = output_next();
    if (!bytes)
        return;
    writing = TRUE;
    gsize size;
    const void *start = g_bytes_get_data(bytes, &size);
    g_output_stream_write_all_async(g_io_stream_get_output_stream(G_IO_STREAM(connection)), start, size,
        G_PRIORITY_DEFAULT, cancel, on_written, bytes);
}

JsonObject *link_event(const char *name, ...)
{
    JsonObject *event = json_object_new();
    json_object_set_string_member(event, "event", name);
    va_list texts;
    va_start(texts, name);
    for (const char *key = va_arg(texts, const char *); key; key = va_arg(texts, const char *)) {
        g_autofree char *text = g_strndup(va_arg(texts, const char *), MAX_TEXT);
        json_object_set_string_member(event, key, text);
    }
    va_end(texts);
    return event;
}

static gboolean is_writable(void)
{
    if (output_size() > MAX_QUEUE)
        drop("the agent does not read");
    return connection != NULL;
}

gboolean link_send(JsonObject *message)
{
    g_autoptr(JsonObject) owned = message;
    if (!is_writable())
        return FALSE;
    output_push(owned);
    flush_output();
    return TRUE;
}

void link_send_text(JsonObject *message, const char *key, char *text)
{
    if (!is_writable()) {
        json_object_unref(message);
        g_free(text);
        return;
    }
    output_push_text(message, key, text);
    flush_output();
}

gboolean link_is_congested(void)
{
    return output_size() > CONGESTED;
}

Call link_call(gint64 id)
{
    return (Call){id, connection_number};
}

static JsonObject *answer_of(Call call, gboolean ok)
{
    JsonObject *answer = json_object_new();
    json_object_set_int_member(answer, "id", call.id);
    json_object_set_boolean_member(answer, "ok", ok);
    return answer;
}

static void copy_member(JsonObject *fields, const char *name, JsonNode *value, gpointer answer)
{
    json_object_set_member(answer, name, json_node_copy(value));
}

void link_answer(Call call, JsonObject *fields)
{
    g_autoptr(JsonObject) owned = fields;
    if (call.connection != connection_number)
        return;
    JsonObject *answer = answer_of(call, TRUE);
    if (owned)
        json_object_foreach_member(owned, copy_member, answer);
    link_send(answer);
}

void link_answer_text(Call call, const char *key, char *text)
{
    if (call.connection == connection_number)
        link_send_text(answer_of(call, TRUE), key, text);
    else
        g_free(text);
}

void link_fail(Call call, const char *code, const char *message)
{
    if (call.connection != connection_number)
        return;
    JsonObject *answer = answer_of(call, FALSE);
    json_object_set_string_member(answer, "code", code);
    json_object_set_string_member(answer, "message", message);
    link_send(answer);
}

static void take_line(const char *line)
{
    g_autoptr(JsonNode) root = json_from_string(line, NULL);
    if (root && JSON_NODE_HOLDS_OBJECT(root))
        handlers->command(json_node_get_object(root));
    else
        link_fail(link_call(0), "bad_command", "not a JSON object");
}

// Handles all complete lines. `searched` bytes of the input are known to contain no line end.
static void take_lines(gsize searched)
{
    gsize start = 0;
    const char *end;
    while ((end = memchr(input->str + MAX(start, searched), '\n', input->len - MAX(start, searched)))) {
        gsize stop = (gsize)(end - input->str);
        input->str[stop] = '\0';
        take_line(input->str + start);
        if (!connection)
            return; // the command ended it
        start = stop + 1;
    }
    g_string_erase(input, 0, (gssize)start);
}

static void on_read(GObject *stream, GAsyncResult *result, gpointer data)
{
    g_autoptr(GError) error = NULL;
    gssize got = g_input_stream_read_finish(G_INPUT_STREAM(stream), result, &error);
    if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        return;
    if (got <= 0) {
        drop(error ? error->message : "end of stream");
        return;
    }
    gsize searched = input->len;
    g_string_append_len(input, chunk, got);
    take_lines(searched);
    if (input->len > MAX_COMMAND)
        drop("line too long");
    if (!connection)
        return;
    g_input_stream_read_async(G_INPUT_STREAM(stream), chunk, sizeof chunk, G_PRIORITY_DEFAULT, cancel, on_read, NULL);
}

static void on_connect(GObject *client, GAsyncResult *result, gpointer data)
{
    connection = g_socket_client_connect_finish(G_SOCKET_CLIENT(client), result, NULL);
    if (!connection) {
        if (g_get_monotonic_time() - lost_since > GIVE_UP_S * G_USEC_PER_SEC) {
            g_critical("no agent at %s for %d s", path, GIVE_UP_S);
            exit(5);
        }
        g_timeout_add(RETRY_MS, dial, NULL);
        return;
    }
    connection_number++;
    cancel = g_cancellable_new();
    handlers->connected();
    g_input_stream_read_async(g_io_stream_get_input_stream(G_IO_STREAM(connection)), chunk, sizeof chunk,
        G_PRIORITY_DEFAULT, cancel, on_read, NULL);
}

static gboolean dial(gpointer data)
{
    g_autoptr(GSocketClient) client = g_socket_client_new();
    g_autoptr(GSocketAddress) address = g_unix_socket_address_new(path);
    g_socket_client_connect_async(client, G_SOCKET_CONNECTABLE(address), NULL, on_connect, NULL);
    return G_SOURCE_REMOVE;
}

void link_start(const char *socket, const LinkHandlers *callbacks)
{
    path = socket;
    handlers = callbacks;
    input = g_string_new(NULL);
    lost_since = g_get_monotonic_time();
    dial(NULL);
}
