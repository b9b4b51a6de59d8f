#include "output.h"

#include "json.h"

#include <string.h>

#define PART_BYTES (64u * 1024)

// A message that keeps its place among others of its kind, with the text that is sent before it in parts.
typedef struct {
    JsonObject *message;
    char *text; // NULL: the message is complete
    gsize length, sent;
    gint64 body, parts;
} Bulk;

static GString *urgent;
static GQueue bulk = G_QUEUE_INIT;

static char *line_of(JsonObject *message)
{
    g_autofree char *text = object_to_text(message);
    g_autofree char *valid = g_utf8_make_valid(text, -1); // a page can choose any bytes
    return g_strconcat(valid, "\n", NULL);
}

static void bulk_free(gpointer data)
{
    Bulk *item = data;
    json_object_unref(item->message);
    g_free(item->text);
    g_free(item);
}

void output_push(JsonObject *message)
{
    g_autofree char *line = line_of(message);
    if (!urgent)
        urgent = g_string_new(NULL);
    g_string_append(urgent, line);
}

void output_push_text(JsonObject *message, const char *key, char *text)
{
    static gint64 last_body;
    Bulk *item = g_new0(Bulk, 1);
    item->message = message;
    item->length = strlen(text);
    if (item->length <= PART_BYTES) {
        json_object_set_string_member(message, key, text);
        g_free(text);
    } else {
        item->text = text;
        item->body = ++last_body;
        json_object_set_string_member(message, "field", key);
        json_object_set_int_member(message, "body", item->body);
    }
    g_queue_push_tail(&bulk, item);
}

// The longest beginning of the text that fits a part and ends between two characters.
static gsize part_length(const char *text, gsize left)
{
    if (left <= PART_BYTES)
        return left;
    gsize length = PART_BYTES;
    while (length > PART_BYTES - 4 && ((guchar)text[length] & 0xc0) == 0x80)
        length--;
    return length;
}

static char *next_part(Bulk *item)
{
    const char *start = item->text + item->sent;
    gsize length = part_length(start, item->length - item->sent);
    g_autofree char *data = g_strndup(start, length);
    g_autoptr(JsonObject) part = json_object_new();
    json_object_set_int_member(part, "body", item->body);
    json_object_set_int_member(part, "part", item->parts++);
    json_object_set_string_member(part, "data", data);
    item->sent += length;
    return line_of(part);
}

static char *next_bulk_line(void)
{
    Bulk *item = g_queue_peek_head(&bulk);
    if (item->text && item->sent < item->length)
        return next_part(item);
    if (item->text)
        json_object_set_int_member(item->message, "parts", item->parts);
    char *line = line_of(item->message);
    bulk_free(g_queue_pop_head(&bulk));
    return line;
}

// As many lines as fit together into a part, but at least one.
GBytes *output_next(void)
{
    if (urgent && urgent->len > 0)
        return g_string_free_to_bytes(g_steal_pointer(&urgent));
    if (g_queue_is_empty(&bulk))
        return NULL;
    GString *lines = g_string_new(NULL);
    do {
        g_autofree char *line = next_bulk_line();
        g_string_append(lines, line);
    } while (lines->len < PART_BYTES && !g_queue_is_empty(&bulk));
    return g_string_free_to_bytes(lines);
}

gsize output_size(void)
{
    return (urgent ? urgent->len : 0) + g_queue_get_length(&bulk) * sizeof(Bulk);
}

void output_clear(void)
{
    if (urgent)
        g_string_truncate(urgent, 0);
    g_queue_clear_full(&bulk, bulk_free);
}
