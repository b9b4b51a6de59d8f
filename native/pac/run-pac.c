// Runs a PAC script with the browser's engine: writes PAC_READY, then reads an address per line and writes a line for
// each: its proxies, separated by spaces; `error` and a reason, for this address only; or `failed` and a reason, when
// there is no script. A process of its own, because the script may be endless, use any memory and attack the engine;
// pac-resolver.c ends it.
#include "pac.h"
#include "pac-script.h"

#include <arpa/inet.h>
#include <gio/gio.h>
#include <ifaddrs.h>
#include <jsc/jsc.h>
#include <libsoup/soup.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>

#define MAX_RESIDENT_KB (256l * 1024)
#define MAX_SCRIPT (1024u * 1024)
#define MAX_LINE 4096
#define MAX_REASON 300
#define FETCH_S 4 // less than pac-resolver.c waits for an answer
#define RESOLVE_MS 2000

// Only a running script can use more memory. The timer counts processor time, so it runs only meanwhile.
static void on_timer(int number)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0 && usage.ru_maxrss > MAX_RESIDENT_KB)
        _exit(3);
}

static void set_limits(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    sigaction(SIGPROF, &(struct sigaction){.sa_handler = on_timer, .sa_flags = SA_RESTART}, NULL);
    setitimer(ITIMER_PROF, &(struct itimerval){{0, 100 * 1000}, {0, 100 * 1000}}, NULL);
    g_setenv("JSC_useJIT", "0", TRUE); // less memory, and less to attack
}

// IPv4 and IPv6 addresses as hexadecimal text; NULL for other texts.
static char *bytes_of(const char *text, gpointer data)
{
    guint8 bytes[16];
    int size = inet_pton(AF_INET, text, bytes) == 1 ? 4 : inet_pton(AF_INET6, text, bytes) == 1 ? 16 : 0;
    if (size == 0)
        return NULL;
    GString *hex = g_string_new(NULL);
    for (int i = 0; i < size; i++)
        g_string_append_printf(hex, "%02x", bytes[i]);
    return g_string_free(hex, FALSE);
}

// All addresses of a name, separated by semicolons.
static char *resolve(const char *name, gpointer data)
{
    GResolver *resolver = g_resolver_get_default();
    g_resolver_set_timeout(resolver, RESOLVE_MS);
    GString *all = g_string_new(NULL);
    GList *found = g_resolver_lookup_by_name(resolver, name, NULL, NULL);
    for (GList *item = found; item; item = item->next) {
        g_autofree char *text = g_inet_address_to_string(item->data);
        g_string_append_printf(all, "%s%s", all->len ? ";" : "", text);
    }
    g_resolver_free_addresses(found);
    g_object_unref(resolver);
    return g_string_free(all, FALSE);
}

static char *address_to_text(const struct sockaddr *address)
{
    char text[INET6_ADDRSTRLEN] = "";
    if (address->sa_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, text, sizeof text);
    else if (address->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)address)->sin6_addr, text, sizeof text);
    return g_strdup(text);
}

// The address from which this device would reach another one; NULL without a route. Nothing is sent.
static char *address_towards(const char *other)
{
    g_autoptr(GSocketAddress) target = g_inet_socket_address_new_from_string(other, 53);
    g_autoptr(GSocket) sender =
        g_socket_new(g_socket_address_get_family(target), G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
    if (!sender || !g_socket_connect(sender, target, NULL, NULL))
        return NULL;
    g_autoptr(GSocketAddress) own = g_socket_get_local_address(sender, NULL);
    return own ? g_inet_address_to_string(g_inet_socket_address_get_address(G_INET_SOCKET_ADDRESS(own))) : NULL;
}

static char *own_address(gpointer data)
{
    // Public addresses, then private ones, for networks without a default route.
    static const char *const others[] = {"8.8.8.8", "2001:4860:4860::8888", "10.0.0.1", "172.16.0.1", "192.168.0.1"};
    for (guint i = 0; i < G_N_ELEMENTS(others); i++) {
        char *address = address_towards(others[i]);
        if (address)
            return address;
    }
    return g_strdup("127.0.0.1");
}

static char *own_addresses(gpointer data)
{
    struct ifaddrs *all = NULL;
    GString *texts = g_string_new(NULL);
    if (getifaddrs(&all) != 0)
        all = NULL;
    for (struct ifaddrs *item = all; item; item = item->ifa_next) {
        if (!item->ifa_addr || (item->ifa_flags & IFF_LOOPBACK))
            continue;
        g_autofree char *text = address_to_text(item->ifa_addr);
        if (*text)
            g_string_append_printf(texts, "%s%s", texts->len ? ";" : "", text);
    }
    if (all)
        freeifaddrs(all);
    return g_string_free(texts, FALSE);
}

static void write_log(const char *text, gpointer data)
{
    g_message("PAC script: %s", text);
}

static void define(JSCContext *context, JSCValue *natives, const char *name, GCallback callback, guint texts)
{
    GType result = callback == G_CALLBACK(write_log) ? G_TYPE_NONE : G_TYPE_STRING;
    g_autoptr(JSCValue) function =
        jsc_value_new_function(context, name, callback, NULL, NULL, result, texts, G_TYPE_STRING);
    jsc_value_object_set_property(natives, name, function);
}

// What pac.js evaluates to, called with what it needs: the function that finds the proxies.
static JSCValue *create_finder(JSCContext *context)
{
    g_autoptr(JSCValue) natives = jsc_value_new_object(context, NULL, NULL);
    define(context, natives, "bytes", G_CALLBACK(bytes_of), 1);
    define(context, natives, "resolve", G_CALLBACK(resolve), 1);
    define(context, natives, "ownAddress", G_CALLBACK(own_address), 0);
    define(context, natives, "ownAddresses", G_CALLBACK(own_addresses), 0);
    define(context, natives, "log", G_CALLBACK(write_log), 1);
    g_autoptr(JSCValue) create = jsc_context_evaluate(context, PAC_SCRIPT, -1);
    return jsc_value_function_call(create, JSC_TYPE_VALUE, natives, G_TYPE_NONE);
}

static char *read_body(GInputStream *stream, GError **error)
{
    g_autofree char *body = g_malloc(MAX_SCRIPT + 1);
    gsize size = 0;
    if (!g_input_stream_read_all(stream, body, MAX_SCRIPT + 1, &size, NULL, error))
        return NULL;
    if (size > MAX_SCRIPT) {
        g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NO_SPACE, "it is larger than 1 MiB");
        return NULL;
    }
    gsize mark = size >= 3 && memcmp(body, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (g_utf8_validate(body + mark, (gssize)(size - mark), NULL))
        return g_strndup(body + mark, size - mark);
    return g_convert(body, (gssize)size, "UTF-8", "ISO-8859-1", NULL, NULL, error);
}

static char *fetch(const char *uri, GError **error)
{
    g_autoptr(SoupMessage) message = soup_message_new(SOUP_METHOD_GET, uri);
    if (!message) {
        g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "its address is not valid");
        return NULL;
    }
    g_autoptr(SoupSession) session = soup_session_new_with_options("timeout", FETCH_S, NULL);
    soup_session_set_proxy_resolver(session, NULL); // the default one would ask this program
    g_autoptr(GInputStream) stream = soup_session_send(session, message, NULL, error);
    if (!stream)
        return NULL;
    guint status = soup_message_get_status(message);
    if (!SOUP_STATUS_IS_SUCCESSFUL(status)) {
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "its server answers %u", status);
        return NULL;
    }
    return read_body(stream, error);
}

// The text of the script's exception, NULL if it threw none.
static char *take_exception(JSCContext *context)
{
    JSCException *exception = jsc_context_get_exception(context);
    if (!exception)
        return NULL;
    char *text =
        g_strdup_printf("%s, line %u", jsc_exception_get_message(exception), jsc_exception_get_line_number(exception));
    jsc_context_clear_exception(context);
    return text;
}

// Why the script cannot be used; NULL when it can.
static char *load(JSCContext *context, const char *uri)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *script = fetch(uri, &error);
    if (!script)
        return g_strdup_printf("it cannot be fetched: %s", error->message);
    g_autoptr(JSCValue) value = jsc_context_evaluate_with_source_uri(context, script, -1, uri, 1);
    return take_exception(context);
}

// The address as browsers give it to scripts, without the parts that only the page and its server should know; NULL if
// it is not an address.
static GUri *parse(const char *address)
{
    g_autoptr(GUri) uri = g_uri_parse(address, G_URI_FLAGS_ENCODED | G_URI_FLAGS_SCHEME_NORMALIZE, NULL);
    if (!uri || !g_uri_get_host(uri))
        return NULL;
    const char *scheme = g_uri_get_scheme(uri);
    gboolean is_secret = g_str_equal(scheme, "https") || g_str_equal(scheme, "wss");
    return g_uri_build(G_URI_FLAGS_ENCODED, scheme, NULL, g_uri_get_host(uri), g_uri_get_port(uri),
        is_secret ? "/" : g_uri_get_path(uri), is_secret ? NULL : g_uri_get_query(uri), NULL);
}

static void write_line(const char *kind, const char *text)
{
    g_autofree char *line = g_utf8_make_valid(text, -1);
    g_strdelimit(line, "\r\n", ' ');
    if (*kind && g_utf8_strlen(line, -1) > MAX_REASON)
        *g_utf8_offset_to_pointer(line, MAX_REASON) = '\0';
    if (printf("%s%s\n", kind, line) < 0 || fflush(stdout) != 0)
        exit(1);
}

static void answer(JSCContext *context, JSCValue *finder, const char *address)
{
    g_autoptr(GUri) uri = parse(address);
    if (!uri) {
        write_line(PAC_ERROR, "this is not an address");
        return;
    }
    g_autofree char *text = g_uri_to_string(uri);
    g_autoptr(JSCValue) value =
        jsc_value_function_call(finder, G_TYPE_STRING, text, G_TYPE_STRING, g_uri_get_host(uri), G_TYPE_NONE);
    g_autofree char *exception = take_exception(context);
    g_autofree char *proxies = exception ? NULL : jsc_value_to_string(value);
    if (exception)
        write_line(PAC_ERROR, exception);
    else
        write_line("", proxies);
}

int main(void)
{
    char line[MAX_LINE];
    set_limits();
    g_autoptr(JSCContext) context = jsc_context_new();
    g_autoptr(JSCValue) finder = create_finder(context);
    write_line("", PAC_READY);
    g_autofree char *reason = load(context, g_getenv("VITRINE_PAC_URL"));
    while (fgets(line, sizeof line, stdin)) {
        if (reason) {
            write_line(PAC_FAILED, reason);
            return 1;
        }
        answer(context, finder, g_strstrip(line));
    }
    return 0;
}
