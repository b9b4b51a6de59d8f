// The compositor's outputs, by wlr-randr: the one program that speaks wlr-output-management for us.
#include "vitrine.h"

#define TIMEOUT_S 10

typedef struct {
    gint64 id;
    gboolean list;
    GCancellable *cancel;
    guint timer;
} Run;

static gboolean on_timeout(gpointer data)
{
    Run *run = data;
    run->timer = 0;
    g_cancellable_cancel(run->cancel);
    return G_SOURCE_REMOVE;
}

static void answer(Run *run, GSubprocess *process, const char *out, const char *err, GError *error)
{
    if (error || !g_subprocess_get_successful(process)) {
        g_subprocess_force_exit(process);
        link_fail(run->id, "output_failed", error ? error->message : err && *err ? err : "wlr-randr failed");
        return;
    }
    JsonBuilder *builder = link_answer(run->id, TRUE);
    if (run->list) {
        JsonNode *outputs = json_from_string(out, NULL);
        json_builder_set_member_name(builder, "outputs");
        if (outputs)
            json_builder_add_value(builder, outputs);
        else
            json_builder_add_null_value(builder);
    }
    link_send(builder);
}

static void on_done(GObject *source, GAsyncResult *result, gpointer data)
{
    Run *run = data;
    g_autofree char *out = NULL, *err = NULL;
    g_autoptr(GError) error = NULL;
    g_subprocess_communicate_utf8_finish(G_SUBPROCESS(source), result, &out, &err, &error);
    answer(run, G_SUBPROCESS(source), out, err, error);
    g_clear_handle_id(&run->timer, g_source_remove);
    g_object_unref(run->cancel);
    g_free(run);
}

static void start(gint64 id, gboolean list, const char *const *arguments)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GSubprocess) process = g_subprocess_newv(
        arguments, G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, &error);
    if (!process) {
        link_fail(id, "output_failed", error->message);
        return;
    }
    Run *run = g_new0(Run, 1);
    run->id = id;
    run->list = list;
    run->cancel = g_cancellable_new();
    run->timer = g_timeout_add_seconds(TIMEOUT_S, on_timeout, run);
    g_subprocess_communicate_utf8_async(process, NULL, run->cancel, on_done, run);
}

void outputs_list(gint64 id)
{
    start(id, TRUE, (const char *const[]){"wlr-randr", "--json", NULL});
}

void outputs_rotate(gint64 id, const char *output, gint64 degrees)
{
    // A Wayland transform turns the picture counter-clockwise; degrees are clockwise.
    static const struct {
        gint64 degrees;
        const char *transform;
    } transforms[] = {{0, "normal"}, {90, "270"}, {180, "180"}, {270, "90"}};
    const char *transform = NULL;
    for (guint i = 0; i < G_N_ELEMENTS(transforms); i++) {
        if (transforms[i].degrees == degrees)
            transform = transforms[i].transform;
    }
    if (!transform || *output == '-') {
        link_fail(id, "bad_command", "degrees must be 0, 90, 180 or 270");
        return;
    }
    start(id, FALSE, (const char *const[]){"wlr-randr", "--output", output, "--transform", transform, NULL});
}
