// GIO module for WebKit's network process: asks run-pac.c, one address at a time, which proxies to use. A script that
// is damaged, endless or cannot be fetched costs at most TIMEOUT_S; then pages are loaded directly for a while, as
// other browsers do. The start of the program, which a slow board may need seconds for, does not count as the script's
// time. Failures are reported to the browser. All of it runs in the main thread.
#include "pac.h"

#include <gio/gio.h>
#include <gio/gunixsocketaddress.h>

#define PROGRAM VITRINE_PREFIX "/lib/vitrine/run-pac"
#define START_S 20
#define TIMEOUT_S 5
#define DIRECT_S 30      // without the script, after it has failed
#define READ_AGAIN_S 600 // the script may have changed
#define MAX_WAITING 256
#define MAX_ADDRESS 2048

typedef struct {
    GObject parent;
    GProxyResolver *exceptions; // answers "pac://" unless the address is an exception
    GQueue waiting;             // of GTask; the first one has been asked
    GSubprocess *program;
    GDataInputStream *answers;
    gboolean is_ready; // the program has started
    gint64 started, direct_until;
    guint timeout;
    gint64 last_failure; // reported to the browser; 0: none, or none for a while
} Resolver;
typedef GObjectClass ResolverClass;

static void resolver_init_interface(GProxyResolverInterface *interface);
static void ask(Resolver *self);
GType resolver_get_type(void);
G_DEFINE_DYNAMIC_TYPE_EXTENDED(
    Resolver, resolver, G_TYPE_OBJECT, 0, G_IMPLEMENT_INTERFACE_DYNAMIC(G_TYPE_PROXY_RESOLVER, resolver_init_interface))

static gint64 now_s(void)
{
    return g_get_monotonic_time() / G_USEC_PER_SEC;
}

// An empty reason: the script works again.
static void report(const char *reason)
{
    g_autoptr(GSocket) sender = g_socket_new(G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_DATAGRAM, 0, NULL);
    g_autoptr(GSocketAddress) browser = g_unix_socket_address_new(g_getenv("VITRINE_PAC_REPORTS"));
    if (!sender)
        return;
    g_socket_set_blocking(sender, FALSE);
    g_socket_send_to(sender, browser, reason, strlen(reason), NULL, NULL);
}

static void report_failure(Resolver *self, const char *reason)
{
    self->last_failure = now_s();
    report(reason);
}

// The script may work for some addresses only: the failure stays reported for a while.
static void report_success(Resolver *self)
{
    if (self->last_failure == 0 || now_s() < self->last_failure + DIRECT_S)
        return;
    self->last_failure = 0;
    report("");
}

static void answer(GTask *task, const char *proxies)
{
    g_auto(GStrv) all = g_strsplit(proxies, " ", 16);
    g_task_return_pointer(task, g_steal_pointer(&all), (GDestroyNotify)g_strfreev);
    g_object_unref(task);
}

static void stop_program(Resolver *self)
{
    if (self->program)
        g_subprocess_force_exit(self->program);
    g_clear_object(&self->program);
    g_clear_object(&self->answers);
    g_clear_handle_id(&self->timeout, g_source_remove);
}

static void give_up(Resolver *self, const char *reason)
{
    report_failure(self, reason);
    stop_program(self);
    self->direct_until = now_s() + DIRECT_S;
    GTask *task;
    while ((task = g_queue_pop_head(&self->waiting)))
        answer(task, "direct://");
}

static gboolean on_timeout(gpointer data)
{
    Resolver *self = data;
    self->timeout = 0;
    give_up(self, self->is_ready ? "it takes longer than 5 s" : "its process does not start");
    return G_SOURCE_REMOVE;
}

static void read_line(Resolver *self);

static void on_answer(GObject *stream, GAsyncResult *result, gpointer data)
{
    Resolver *self = data;
    g_autofree char *line = g_data_input_stream_read_line_finish(G_DATA_INPUT_STREAM(stream), result, NULL, NULL);
    if (stream != (GObject *)self->answers)
        return; // of a program that was given up
    if (!line || g_str_has_prefix(line, PAC_FAILED)) {
        give_up(self, line ? line + strlen(PAC_FAILED) : "its process ended: it crashed or used too much memory");
        return;
    }
    g_clear_handle_id(&self->timeout, g_source_remove);
    if (!self->is_ready && g_str_equal(line, PAC_READY)) {
        self->is_ready = TRUE;
        read_line(self);
        return;
    }
    gboolean is_error = g_str_has_prefix(line, PAC_ERROR);
    if (is_error)
        report_failure(self, line + strlen(PAC_ERROR));
    else
        report_success(self);
    answer(g_queue_pop_head(&self->waiting), is_error ? "direct://" : line);
    ask(self);
}

static void read_line(Resolver *self)
{
    self->timeout = g_timeout_add_seconds(self->is_ready ? TIMEOUT_S : START_S, on_timeout, self);
    g_data_input_stream_read_line_async(self->answers, G_PRIORITY_DEFAULT, NULL, on_answer, self);
}

static void ask(Resolver *self)
{
    GTask *task = g_queue_peek_head(&self->waiting);
    if (!task)
        return;
    if (self->program && now_s() > self->started + READ_AGAIN_S)
        stop_program(self);
    if (!self->program) {
        self->program =
            g_subprocess_new(G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, NULL, PROGRAM, NULL);
        if (!self->program) {
            give_up(self, "it cannot be run");
            return;
        }
        self->answers = g_data_input_stream_new(g_subprocess_get_stdout_pipe(self->program));
        self->started = now_s();
        self->is_ready = FALSE;
    }
    g_autofree char *line = g_strdup_printf("%s\n", (char *)g_task_get_task_data(task));
    // A line is shorter than the pipe's buffer, which is empty.
    g_output_stream_write_all(g_subprocess_get_stdin_pipe(self->program), line, strlen(line), NULL, NULL, NULL);
    read_line(self);
}

static void lookup_async(
    GProxyResolver *resolver, const char *uri, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
    Resolver *self = (Resolver *)resolver;
    GTask *task = g_task_new(self, cancellable, callback, data);
    g_auto(GStrv) direct = g_proxy_resolver_lookup(self->exceptions, uri, NULL, NULL);
    if (!direct || !g_str_equal(direct[0], "pac://") || now_s() < self->direct_until || strlen(uri) > MAX_ADDRESS ||
        strpbrk(uri, "\r\n") || self->waiting.length >= MAX_WAITING) {
        answer(task, "direct://");
        return;
    }
    g_task_set_task_data(task, g_strdup(uri), g_free);
    g_queue_push_tail(&self->waiting, task);
    if (self->waiting.length == 1)
        ask(self);
}

static GStrv lookup_finish(GProxyResolver *resolver, GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer(G_TASK(result), error);
}

// Synchronous lookup, unused by the network process; it would block.
static GStrv lookup(GProxyResolver *resolver, const char *uri, GCancellable *cancellable, GError **error)
{
    return g_strsplit("direct://", " ", -1);
}

static gboolean is_supported(GProxyResolver *resolver)
{
    return g_getenv("VITRINE_PAC_URL") != NULL;
}

static void resolver_init_interface(GProxyResolverInterface *interface)
{
    interface->is_supported = is_supported;
    interface->lookup = lookup;
    interface->lookup_async = lookup_async;
    interface->lookup_finish = lookup_finish;
}

static void resolver_init(Resolver *self)
{
    const char *text = g_getenv("VITRINE_PAC_EXCEPTIONS");
    g_auto(GStrv) exceptions = g_strsplit(text ? text : "", ",", -1);
    self->exceptions = g_simple_proxy_resolver_new("pac://", exceptions);
    g_queue_init(&self->waiting);
}

static void resolver_class_init(ResolverClass *class)
{
}

static void resolver_class_finalize(ResolverClass *class)
{
}

void g_io_vitrine_pac_load(GIOModule *module);
void g_io_vitrine_pac_unload(GIOModule *module);
char **g_io_vitrine_pac_query(void);

void g_io_vitrine_pac_load(GIOModule *module)
{
    g_type_module_use(G_TYPE_MODULE(module)); // never unloaded
    resolver_register_type(G_TYPE_MODULE(module));
    g_io_extension_point_implement(G_PROXY_RESOLVER_EXTENSION_POINT_NAME, resolver_get_type(), "vitrine-pac", 100);
}

void g_io_vitrine_pac_unload(GIOModule *module)
{
}

char **g_io_vitrine_pac_query(void)
{
    static const char *points[] = {G_PROXY_RESOLVER_EXTENSION_POINT_NAME, NULL};
    return g_strdupv((char **)points);
}
