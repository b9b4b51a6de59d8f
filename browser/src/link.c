#include "vitrine.h"

#include <gio/gunixsocketaddress.h>
#include <stdlib.h>
#include <string.h>

#define RETRY_MS 250
#define PATIENCE_S 300               // without the agent for so long something is wrong with us: start anew
#define MAX_LINE (8u * 1024 * 1024)  // from the agent
#define MAX_TEXT 16384              // what a page may make us tell
#define MAX_QUEUE (64u * 1024 * 1024) // unread output; more means that the agent is stuck

static const char *path;
static const LinkHandlers *tell;
static GSocketConnection *connection;
static GCancellable *cancel; // one a connection
static GString *input, *output;
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
    g_string_truncate(output, 0);
    writing = FALSE;
    lost_since = g_get_monotonic_time();
    g_timeout_add(RETRY_MS, dial, NULL);
    tell->lost();
}

static void on_written(GObject *stream, GAsyncResult *result, gpointer data)
{
    g_autoptr(GBytes) bytes = data;
    g_autoptr(GError) error = NULL;
    gboolean ok = g_output_stream_write_all_finish(G_OUTPUT_STREAM(stream), result, NULL, &error);
    if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        return; // of a connection that is gone
    writing = FALSE;
    if (ok)
        flush_output();
    else
        drop(error->message);
}

static void flush_output(void)
{
    if (!connection || writing || output->len == 0)
        return;
    GBytes *bytes = g_string_free_to_bytes(output);
    output = g_string_new(NULL);
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

JsonObject *link_answer(gint64 id, gboolean ok)
{
    JsonObject *answer = json_object_new();
    json_object_set_int_member(answer, "id", id);
    json_object_set_boolean_member(answer, "ok", ok);
    return answer;
}

gboolean link_send(JsonObject *message)
{
    g_autoptr(JsonNode) root = json_node_new(JSON_NODE_OBJECT);
    json_node_take_object(root, message);
    if (output->len > MAX_QUEUE)
        drop("the agent does not read");
    if (!connection)
        return FALSE;
    g_autofree char *text = json_to_string(root, FALSE);
    g_autofree char *valid = g_utf8_make_valid(text, -1); // what a page chooses may be anything
    g_string_append(output, valid);
    g_string_append_c(output, '\n');
    flush_output();
    return TRUE;
}

void link_fail(gint64 id, const char *code, const char *message)
{
    JsonObject *answer = link_answer(id, FALSE);
    json_object_set_string_member(answer, "code", code);
    json_object_set_string_member(answer, "message", message);
    link_send(answer);
}

static void take_line(const char *line)
{
    g_autoptr(JsonNode) root = json_from_string(line, NULL);
    if (root && JSON_NODE_HOLDS_OBJECT(root))
        tell->command(json_node_get_object(root));
    else
        link_fail(0, "bad_command", "not a JSON object");
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
    g_string_append_len(input, chunk, got);
    char *end;
    while ((end = memchr(input->str, '\n', input->len))) {
        *end = '\0';
        take_line(input->str);
        if (!connection)
            return; // the command ended it
        g_string_erase(input, 0, end + 1 - input->str);
    }
    if (input->len > MAX_LINE) {
        drop("line too long");
        return;
    }
    g_input_stream_read_async(G_INPUT_STREAM(stream), chunk, sizeof chunk, G_PRIORITY_DEFAULT, cancel, on_read, NULL);
}

static void on_connect(GObject *client, GAsyncResult *result, gpointer data)
{
    connection = g_socket_client_connect_finish(G_SOCKET_CLIENT(client), result, NULL);
    if (!connection) {
        if (g_get_monotonic_time() - lost_since > PATIENCE_S * G_USEC_PER_SEC) {
            g_critical("no agent at %s for %d s", path, PATIENCE_S);
            exit(5);
        }
        g_timeout_add(RETRY_MS, dial, NULL);
        return;
    }
    cancel = g_cancellable_new();
    tell->connected();
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

void link_start(const char *socket, const LinkHandlers *handlers)
{
    path = socket;
    tell = handlers;
    input = g_string_new(NULL);
    output = g_string_new(NULL);
    lost_since = g_get_monotonic_time();
    dial(NULL);
}
