#include "vitrine.h"

#include <gio/gunixsocketaddress.h>
#include <string.h>

#define RETRY_MS 250
#define PATIENCE_S 300               // without the agent for so long something is wrong with us: start anew
#define MAX_LINE (8u * 1024 * 1024)  // from the agent
#define MAX_QUEUE (64u * 1024 * 1024) // unread output; more means that the agent is stuck

static const char *path;
static CommandHandler handler;
static void (*connected_handler)(void);
static GSocketConnection *connection;
static GCancellable *cancel; // one a connection
static GByteArray *input, *output;
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
    g_byte_array_set_size(input, 0);
    g_byte_array_set_size(output, 0);
    writing = FALSE;
    lost_since = g_get_monotonic_time();
    g_timeout_add(RETRY_MS, dial, NULL);
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
    GBytes *bytes = g_byte_array_free_to_bytes(output);
    output = g_byte_array_new();
    writing = TRUE;
    gsize size;
    const void *start = g_bytes_get_data(bytes, &size);
    g_output_stream_write_all_async(g_io_stream_get_output_stream(G_IO_STREAM(connection)), start, size,
        G_PRIORITY_DEFAULT, cancel, on_written, bytes);
}

static JsonBuilder *object(void)
{
    JsonBuilder *builder = json_builder_new();
    json_builder_begin_object(builder);
    return builder;
}

JsonBuilder *link_event(const char *name)
{
    JsonBuilder *builder = object();
    link_text(builder, "event", name);
    return builder;
}

JsonBuilder *link_answer(gint64 id, gboolean ok)
{
    JsonBuilder *builder = object();
    link_number(builder, "id", id);
    link_flag(builder, "ok", ok);
    return builder;
}

void link_text(JsonBuilder *builder, const char *key, const char *value)
{
    json_builder_set_member_name(builder, key);
    if (!value) {
        json_builder_add_null_value(builder);
        return;
    }
    g_autofree char *valid = g_utf8_make_valid(value, -1);
    json_builder_add_string_value(builder, valid);
}

void link_number(JsonBuilder *builder, const char *key, gint64 value)
{
    json_builder_set_member_name(builder, key);
    json_builder_add_int_value(builder, value);
}

void link_flag(JsonBuilder *builder, const char *key, gboolean value)
{
    json_builder_set_member_name(builder, key);
    json_builder_add_boolean_value(builder, value);
}

void link_send(JsonBuilder *taken)
{
    g_autoptr(JsonBuilder) builder = taken;
    if (!connection)
        return;
    json_builder_end_object(builder);
    g_autoptr(JsonNode) root = json_builder_get_root(builder);
    g_autofree char *text = json_to_string(root, FALSE);
    if (output->len > MAX_QUEUE) {
        drop("the agent does not read");
        return;
    }
    g_byte_array_append(output, (const guint8 *)text, strlen(text));
    g_byte_array_append(output, (const guint8 *)"\n", 1);
    flush_output();
}

void link_fail(gint64 id, const char *code, const char *message)
{
    JsonBuilder *builder = link_answer(id, FALSE);
    link_text(builder, "code", code);
    link_text(builder, "message", message);
    link_send(builder);
}

static void take_line(const char *line, gsize length)
{
    g_autoptr(JsonParser) parser = json_parser_new();
    if (json_parser_load_from_data(parser, line, (gssize)length, NULL)) {
        JsonNode *root = json_parser_get_root(parser);
        if (root && JSON_NODE_HOLDS_OBJECT(root)) {
            handler(json_node_get_object(root));
            return;
        }
    }
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
    g_byte_array_append(input, (const guint8 *)chunk, (guint)got);
    guint start = 0;
    GCancellable *mine = cancel;
    for (guint i = input->len - (guint)got; i < input->len; i++) {
        if (input->data[i] != '\n')
            continue;
        if (i > start)
            take_line((const char *)input->data + start, i - start);
        if (cancel != mine)
            return; // the command ended this connection
        start = i + 1;
    }
    g_byte_array_remove_range(input, 0, start);
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
            quit(5);
            return;
        }
        g_timeout_add(RETRY_MS, dial, NULL);
        return;
    }
    cancel = g_cancellable_new();
    connected_handler();
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

void link_start(const char *socket, CommandHandler on_command, void (*on_connected)(void))
{
    path = socket;
    handler = on_command;
    connected_handler = on_connected;
    input = g_byte_array_new();
    output = g_byte_array_new();
    lost_since = g_get_monotonic_time();
    dial(NULL);
}
