// A pointer and a keyboard of the compositor, for the agent: it does what the lines on standard input say, in their
// order, and prints "ready" when it has both, and "done" when the compositor has got everything before a "sync". It
// ends with standard input; then the compositor releases what is still pressed. It also ends with the compositor.
//
//   move X Y         to a place of the screen, in millionths of its width and height as it is turned
//   button CODE 0|1  releases or presses a button of the pointer (linux/input-event-codes.h)
//   wheel X Y        scrolls right and down, in 256ths of a pixel
//   keymap TEXT      replaces the keyboard's keymap (XKB, text format 1)
//   key CODE 0|1     releases or presses a key; the keymap has it as CODE + 8
//   modifiers MASK   those of the keymap that are held
//   sync
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <wayland-client.h>

#define MAX_LINE (1024 * 1024)
#define EXTENT 1000000u
// The compositor gets this many lines at most before the program waits for it, so that no buffer fills up.
#define LINES_AT_ONCE 200

// The requests of two protocols of wlroots: wlr-virtual-pointer-unstable-v1, version 1, and
// virtual-keyboard-unstable-v1. A request's number is its place in the list, a letter of its signature the type of an
// argument (wayland-util.h).
static const struct wl_interface *const NO_TYPES[5];

enum { POINTER_MOTION_ABSOLUTE = 1, POINTER_BUTTON, POINTER_AXIS, POINTER_FRAME, POINTER_AXIS_SOURCE };
static const struct wl_message POINTER_REQUESTS[] = {
    {"motion", "uff", (const struct wl_interface **)NO_TYPES},
    {"motion_absolute", "uuuuu", (const struct wl_interface **)NO_TYPES},
    {"button", "uuu", (const struct wl_interface **)NO_TYPES},
    {"axis", "uuf", (const struct wl_interface **)NO_TYPES},
    {"frame", "", (const struct wl_interface **)NO_TYPES},
    {"axis_source", "u", (const struct wl_interface **)NO_TYPES},
};
static const struct wl_interface POINTER = {"zwlr_virtual_pointer_v1", 1, 6, POINTER_REQUESTS, 0, NULL};
static const struct wl_interface *CREATE_POINTER_TYPES[] = {&wl_seat_interface, &POINTER};
static const struct wl_message POINTER_MANAGER_REQUESTS[] = {{"create_virtual_pointer", "?on", CREATE_POINTER_TYPES}};
static const struct wl_interface POINTER_MANAGER = {
    "zwlr_virtual_pointer_manager_v1", 1, 1, POINTER_MANAGER_REQUESTS, 0, NULL};

enum { KEYBOARD_KEYMAP, KEYBOARD_KEY, KEYBOARD_MODIFIERS };
static const struct wl_message KEYBOARD_REQUESTS[] = {
    {"keymap", "uhu", (const struct wl_interface **)NO_TYPES},
    {"key", "uuu", (const struct wl_interface **)NO_TYPES},
    {"modifiers", "uuuu", (const struct wl_interface **)NO_TYPES},
};
static const struct wl_interface KEYBOARD = {"zwp_virtual_keyboard_v1", 1, 3, KEYBOARD_REQUESTS, 0, NULL};
static const struct wl_interface *CREATE_KEYBOARD_TYPES[] = {&wl_seat_interface, &KEYBOARD};
static const struct wl_message KEYBOARD_MANAGER_REQUESTS[] = {{"create_virtual_keyboard", "on", CREATE_KEYBOARD_TYPES}};
static const struct wl_interface KEYBOARD_MANAGER = {
    "zwp_virtual_keyboard_manager_v1", 1, 1, KEYBOARD_MANAGER_REQUESTS, 0, NULL};

static struct wl_display *display;
static struct wl_seat *seat;
static struct wl_proxy *pointer_manager, *keyboard_manager, *pointer, *keyboard;
static int unconfirmed; // lines that the compositor may not have got yet

static void fail(const char *what)
{
    fprintf(stderr, "virtual-input: %s\n", what);
    exit(1);
}

static void on_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version)
{
    (void)data, (void)version;
    if (!seat && strcmp(interface, wl_seat_interface.name) == 0)
        seat = wl_registry_bind(registry, name, &wl_seat_interface, 1);
    else if (!pointer_manager && strcmp(interface, POINTER_MANAGER.name) == 0)
        pointer_manager = wl_registry_bind(registry, name, &POINTER_MANAGER, 1);
    else if (!keyboard_manager && strcmp(interface, KEYBOARD_MANAGER.name) == 0)
        keyboard_manager = wl_registry_bind(registry, name, &KEYBOARD_MANAGER, 1);
}

static void on_global_removed(void *data, struct wl_registry *registry, uint32_t name)
{
    (void)data, (void)registry, (void)name;
}

// Waits until the compositor has handled everything.
static void confirm(void)
{
    if (wl_display_roundtrip(display) < 0)
        fail("the compositor has ended the connection");
    unconfirmed = 0;
}

static void print(const char *line)
{
    if (puts(line) < 0 || fflush(stdout) != 0)
        exit(0); // nobody reads any more
}

static void connect_devices(void)
{
    static const struct wl_registry_listener listener = {on_global, on_global_removed};
    display = wl_display_connect(NULL);
    if (!display)
        fail("there is no compositor");
    wl_registry_add_listener(wl_display_get_registry(display), &listener, NULL);
    confirm();
    if (!seat || !pointer_manager || !keyboard_manager)
        fail("the compositor has no virtual pointer or keyboard");
    pointer = wl_proxy_marshal_constructor(pointer_manager, 0, &POINTER, seat, NULL);
    keyboard = wl_proxy_marshal_constructor(keyboard_manager, 0, &KEYBOARD, seat, NULL);
    confirm();
}

// In ms, as the kernel's events have it.
static uint32_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint32_t)((uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000);
}

static void set_keymap(const char *text)
{
    size_t size = strlen(text) + 1;
    int file = memfd_create("keymap", MFD_CLOEXEC);
    if (file < 0 || write(file, text, size) != (ssize_t)size)
        fail("there is no memory for a keymap");
    wl_proxy_marshal(keyboard, KEYBOARD_KEYMAP, WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1, file, (uint32_t)size);
    close(file); // the connection has its own copy of the descriptor
}

static void scroll(int x, int y)
{
    uint32_t time = now();
    wl_proxy_marshal(pointer, POINTER_AXIS_SOURCE, WL_POINTER_AXIS_SOURCE_WHEEL);
    if (x)
        wl_proxy_marshal(pointer, POINTER_AXIS, time, WL_POINTER_AXIS_HORIZONTAL_SCROLL, (wl_fixed_t)x);
    if (y)
        wl_proxy_marshal(pointer, POINTER_AXIS, time, WL_POINTER_AXIS_VERTICAL_SCROLL, (wl_fixed_t)y);
    wl_proxy_marshal(pointer, POINTER_FRAME);
}

static void perform(const char *line)
{
    uint32_t first, second;
    int x, y;
    if (sscanf(line, "move %" SCNu32 " %" SCNu32, &first, &second) == 2) {
        wl_proxy_marshal(pointer, POINTER_MOTION_ABSOLUTE, now(), first, second, EXTENT, EXTENT);
        wl_proxy_marshal(pointer, POINTER_FRAME);
    } else if (sscanf(line, "button %" SCNu32 " %" SCNu32, &first, &second) == 2) {
        wl_proxy_marshal(pointer, POINTER_BUTTON, now(), first, second);
        wl_proxy_marshal(pointer, POINTER_FRAME);
    } else if (sscanf(line, "wheel %d %d", &x, &y) == 2) {
        scroll(x, y);
    } else if (strncmp(line, "keymap ", 7) == 0) {
        set_keymap(line + 7);
    } else if (sscanf(line, "key %" SCNu32 " %" SCNu32, &first, &second) == 2) {
        wl_proxy_marshal(keyboard, KEYBOARD_KEY, now(), first, second);
    } else if (sscanf(line, "modifiers %" SCNu32, &first) == 1) {
        wl_proxy_marshal(keyboard, KEYBOARD_MODIFIERS, first, 0u, 0u, 0u);
    } else if (strcmp(line, "sync") == 0) {
        confirm();
        print("done");
        return;
    } else {
        fail("a line is not understood");
    }
    if (++unconfirmed >= LINES_AT_ONCE)
        confirm();
}

// Returns false at the end of standard input.
static bool read_lines(void)
{
    static char text[MAX_LINE];
    static size_t used;
    ssize_t count = read(STDIN_FILENO, text + used, sizeof text - used);
    if (count < 0)
        return errno == EINTR || errno == EAGAIN;
    if (count == 0)
        return false;
    used += (size_t)count;
    char *line = text, *end;
    while ((end = memchr(line, '\n', used - (size_t)(line - text)))) {
        *end = '\0';
        perform(line);
        line = end + 1;
    }
    used -= (size_t)(line - text);
    memmove(text, line, used);
    if (used == sizeof text)
        fail("a line is too long");
    return true;
}

int main(void)
{
    connect_devices();
    print("ready");
    for (;;) {
        struct pollfd files[] = {
            {.fd = STDIN_FILENO, .events = POLLIN}, {.fd = wl_display_get_fd(display), .events = POLLIN}};
        while (wl_display_prepare_read(display) != 0)
            wl_display_dispatch_pending(display);
        wl_display_flush(display);
        bool is_there = poll(files, 2, -1) > 0;
        if (is_there && files[1].revents)
            wl_display_read_events(display);
        else
            wl_display_cancel_read(display);
        if (wl_display_dispatch_pending(display) < 0)
            fail("the compositor has ended the connection");
        if (is_there && files[0].revents && !read_lines())
            return 0;
    }
}
