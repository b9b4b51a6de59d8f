// Prints where an input device is touched: a line of slot, x and y from 0 to 1, whether it is pressed, and ms since
// 1970. At most one line for each slot and frame. Ends when the device disappears. libevdev recovers when the kernel's
// buffer overflows.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libevdev/libevdev.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SLOTS 32

typedef struct {
    struct libevdev *device;
    int slots;               // 0: no multitouch, one position
    unsigned int x, y;       // codes of the axes
    unsigned int button;     // of a device without multitouch
    uint32_t changed;        // bits of slots since the last frame
    bool pressed[MAX_SLOTS]; // as printed
} Reader;

static double fraction(const Reader *reader, unsigned int axis, int value)
{
    int least = libevdev_get_abs_minimum(reader->device, axis);
    int most = libevdev_get_abs_maximum(reader->device, axis);
    double part = ((double)value - least) / ((double)most - least);
    return part < 0 ? 0 : part > 1 ? 1 : part;
}

static int value_of(const Reader *reader, int slot, unsigned int axis)
{
    if (reader->slots)
        return libevdev_get_slot_value(reader->device, (unsigned int)slot, axis);
    return libevdev_get_event_value(reader->device, EV_ABS, axis);
}

static bool is_pressed(const Reader *reader, int slot)
{
    if (reader->slots)
        return libevdev_get_slot_value(reader->device, (unsigned int)slot, ABS_MT_TRACKING_ID) >= 0;
    return libevdev_get_event_value(reader->device, EV_KEY, reader->button) != 0;
}

static void print_slot(Reader *reader, int slot, int64_t ms)
{
    bool pressed = is_pressed(reader, slot);
    // The position of a slot without a finger means nothing; a pointer also moves without being pressed.
    if (reader->slots && !pressed && !reader->pressed[slot])
        return;
    reader->pressed[slot] = pressed;
    printf("%d %.6f %.6f %d %" PRId64 "\n", slot, fraction(reader, reader->x, value_of(reader, slot, reader->x)),
        fraction(reader, reader->y, value_of(reader, slot, reader->y)), pressed, ms);
}

static void end_frame(Reader *reader, int64_t ms)
{
    int slots = reader->slots ? reader->slots : 1;
    for (int slot = 0; slot < slots; slot++)
        if (reader->changed & (1u << slot))
            print_slot(reader, slot, ms);
    reader->changed = 0;
    if (fflush(stdout) != 0)
        exit(0); // nobody reads any more
}

static void handle(Reader *reader, const struct input_event *event)
{
    if (event->type == EV_SYN && event->code == SYN_REPORT) {
        end_frame(reader, (int64_t)event->input_event_sec * 1000 + event->input_event_usec / 1000);
        return;
    }
    bool is_position = event->type == EV_ABS &&
        (event->code == reader->x || event->code == reader->y || event->code == ABS_MT_TRACKING_ID);
    int slot = reader->slots ? libevdev_get_current_slot(reader->device) : 0;
    if ((is_position || (!reader->slots && event->type == EV_KEY && event->code == reader->button)) && slot >= 0 &&
        slot < MAX_SLOTS)
        reader->changed |= 1u << slot;
}

// Returns false for a device without positions.
static bool prepare(Reader *reader)
{
    struct libevdev *device = reader->device;
    if (libevdev_has_event_code(device, EV_ABS, ABS_MT_POSITION_X) &&
        libevdev_has_event_code(device, EV_ABS, ABS_MT_TRACKING_ID)) {
        int slots = libevdev_get_num_slots(device);
        reader->slots = slots > MAX_SLOTS ? MAX_SLOTS : slots;
        reader->x = ABS_MT_POSITION_X;
        reader->y = ABS_MT_POSITION_Y;
    }
    if (reader->slots <= 0) {
        reader->slots = 0;
        reader->x = ABS_X;
        reader->y = ABS_Y;
        reader->button = libevdev_has_event_code(device, EV_KEY, BTN_TOUCH) ? BTN_TOUCH : BTN_LEFT;
    }
    return libevdev_get_abs_maximum(device, reader->x) > libevdev_get_abs_minimum(device, reader->x) &&
        libevdev_get_abs_maximum(device, reader->y) > libevdev_get_abs_minimum(device, reader->y);
}

int main(int argc, char **argv)
{
    Reader reader = {0};
    int file = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0 || libevdev_new_from_fd(file, &reader.device) < 0) {
        fprintf(stderr, "usage: read-touch DEVICE; the device cannot be opened\n");
        return 2;
    }
    if (!prepare(&reader)) {
        fprintf(stderr, "%s has no positions\n", argv[1]);
        return 3;
    }
    unsigned int flag = LIBEVDEV_READ_FLAG_NORMAL;
    for (;;) {
        struct input_event event;
        int status = libevdev_next_event(reader.device, flag | LIBEVDEV_READ_FLAG_BLOCKING, &event);
        if (status == LIBEVDEV_READ_STATUS_SYNC) {
            // Events were lost; the next ones report what has changed meanwhile.
            flag = LIBEVDEV_READ_FLAG_SYNC;
            handle(&reader, &event);
        } else if (status == LIBEVDEV_READ_STATUS_SUCCESS) {
            handle(&reader, &event);
        } else if (status == -EAGAIN && flag == LIBEVDEV_READ_FLAG_SYNC) {
            flag = LIBEVDEV_READ_FLAG_NORMAL;
        } else if (status != -EINTR && status != -EAGAIN) {
            return status == -ENODEV ? 0 : 1;
        }
    }
}
