// SPDX-License-Identifier: GPL-2.0
/*
 * For tests only: an I2C adapter and an SPI controller whose other end is a program in user space, so that the kernel's
 * own i2c-core, i2c-dev, SPI core and spidev are used. The program reads one request at a time from /dev/nfc-lab-bus
 * and writes one answer for it. All numbers are those of the processor.
 *
 *   request  u32 kind (1: I2C, 2: SPI), u32 id, u32 number of parts; then for each part
 *            I2C: u16 address, u16 flags, u32 length, and the bytes if it is a write
 *            SPI: u32 length, u32 whether the chip is deselected after it, and the bytes that are sent
 *   answer   u32 id, s32 result (0 or a negative error number), and the bytes of all reads (I2C) or of all parts (SPI)
 */
#include <linux/i2c.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/spi/spi.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#define MOST_BYTES 65536
#define HEAD_BYTES 12
#define ANSWER_HEAD 8
#define KIND_I2C 1
#define KIND_SPI 2
/* How long a transfer waits for the program, as adapters wait for a chip. */
#define TIMEOUT (2 * HZ)

static int i2c_bus = 1;
static int spi_bus;
module_param(i2c_bus, int, 0444);
module_param(spi_bus, int, 0444);

/* Held during a transfer; protects the request while it is written. */
static DEFINE_MUTEX(transfer_lock);
/* Protects everything below. */
static DEFINE_MUTEX(state_lock);
static DECLARE_WAIT_QUEUE_HEAD(program_waits);
static DECLARE_WAIT_QUEUE_HEAD(bus_waits);
static u8 *request;
static u8 *answer;
static size_t request_bytes;
static size_t answer_bytes;
static u32 last_id;
static bool is_asked;
static bool is_answered;
static bool is_served;

static int append(size_t *at, const void *bytes, size_t count)
{
    if (count > MOST_BYTES - *at)
        return -EMSGSIZE;
    if (bytes)
        memcpy(request + *at, bytes, count);
    else
        memset(request + *at, 0, count);
    *at += count;
    return 0;
}

/* Asks the program, with transfer_lock held. Gives -ENODEV when there is none. */
static int ask(u32 kind, u32 parts, size_t bytes, size_t expected)
{
    long left;
    int result;

    mutex_lock(&state_lock);
    if (!is_served) {
        mutex_unlock(&state_lock);
        return -ENODEV;
    }
    last_id++;
    memcpy(request, &kind, 4);
    memcpy(request + 4, &last_id, 4);
    memcpy(request + 8, &parts, 4);
    request_bytes = bytes;
    is_asked = true;
    is_answered = false;
    mutex_unlock(&state_lock);
    wake_up(&program_waits);
    left = wait_event_timeout(bus_waits, READ_ONCE(is_answered) || !READ_ONCE(is_served), TIMEOUT);
    mutex_lock(&state_lock);
    is_asked = false;
    if (is_answered) {
        memcpy(&result, answer + 4, 4);
        if (result == 0 && answer_bytes != ANSWER_HEAD + expected)
            result = -EPROTO;
        /* A later answer to this request is refused. */
        last_id++;
    } else {
        result = left == 0 ? -ETIMEDOUT : -ENODEV;
    }
    mutex_unlock(&state_lock);
    return result;
}

static int lab_i2c_transfer(struct i2c_adapter *adapter, struct i2c_msg *messages, int count)
{
    size_t at = HEAD_BYTES, expected = 0, from = ANSWER_HEAD;
    int result = 0;

    mutex_lock(&transfer_lock);
    for (int i = 0; i < count && result == 0; i++) {
        const struct i2c_msg *message = &messages[i];
        u32 length = message->len;

        result = append(&at, &message->addr, 2);
        if (result == 0)
            result = append(&at, &message->flags, 2);
        if (result == 0)
            result = append(&at, &length, 4);
        if (message->flags & I2C_M_RD)
            expected += length;
        else if (result == 0)
            result = append(&at, message->buf, length);
    }
    if (result == 0)
        result = ask(KIND_I2C, count, at, expected);
    for (int i = 0; i < count && result == 0; i++) {
        if (!(messages[i].flags & I2C_M_RD))
            continue;
        memcpy(messages[i].buf, answer + from, messages[i].len);
        from += messages[i].len;
    }
    mutex_unlock(&transfer_lock);
    if (result == -ENODEV)
        return -ENXIO;
    return result == 0 ? count : result;
}

static u32 lab_i2c_functions(struct i2c_adapter *adapter)
{
    return I2C_FUNC_I2C | (I2C_FUNC_SMBUS_EMUL & ~I2C_FUNC_SMBUS_QUICK);
}

static const struct i2c_algorithm lab_i2c_algorithm = {
    .xfer = lab_i2c_transfer,
    .functionality = lab_i2c_functions,
};
static struct i2c_adapter lab_i2c = {
    .owner = THIS_MODULE,
    .algo = &lab_i2c_algorithm,
    .name = "nfc-lab",
};

static int lab_spi_transfer(struct spi_controller *controller, struct spi_message *message)
{
    struct spi_transfer *part;
    size_t at = HEAD_BYTES, expected = 0, from = ANSWER_HEAD;
    u32 parts = 0;
    int result = 0;

    mutex_lock(&transfer_lock);
    list_for_each_entry(part, &message->transfers, transfer_list)
    {
        u32 length = part->len, is_deselected = part->cs_change;

        parts++;
        expected += length;
        if (result == 0)
            result = append(&at, &length, 4);
        if (result == 0)
            result = append(&at, &is_deselected, 4);
        if (result == 0)
            result = append(&at, part->tx_buf, length);
    }
    if (result == 0)
        result = ask(KIND_SPI, parts, at, expected);
    list_for_each_entry(part, &message->transfers, transfer_list)
    {
        /* Without a chip that drives it the line is high, which is not an error on this bus. */
        if (part->rx_buf && result == -ENODEV)
            memset(part->rx_buf, 0xff, part->len);
        else if (part->rx_buf && result == 0)
            memcpy(part->rx_buf, answer + from, part->len);
        from += part->len;
    }
    mutex_unlock(&transfer_lock);
    if (result == -ENODEV)
        result = 0;
    message->actual_length = result == 0 ? expected : 0;
    message->status = result;
    spi_finalize_current_message(controller);
    return result;
}

static ssize_t lab_read(struct file *file, char __user *to, size_t count, loff_t *position)
{
    ssize_t result = wait_event_interruptible(program_waits, READ_ONCE(is_asked));

    if (result)
        return result;
    mutex_lock(&state_lock);
    if (!is_asked)
        result = -EAGAIN;
    else if (count < request_bytes)
        result = -EMSGSIZE;
    else if (copy_to_user(to, request, request_bytes))
        result = -EFAULT;
    else
        result = request_bytes;
    is_asked = false;
    mutex_unlock(&state_lock);
    return result;
}

static ssize_t lab_write(struct file *file, const char __user *from, size_t count, loff_t *position)
{
    ssize_t result = count;
    u32 id;

    if (count < ANSWER_HEAD || count > MOST_BYTES)
        return -EINVAL;
    if (copy_from_user(&id, from, 4))
        return -EFAULT;
    mutex_lock(&state_lock);
    if (id != last_id || is_answered) {
        result = -ESTALE;
    } else if (copy_from_user(answer, from, count)) {
        result = -EFAULT;
    } else {
        answer_bytes = count;
        is_answered = true;
    }
    mutex_unlock(&state_lock);
    wake_up(&bus_waits);
    return result;
}

static int lab_open(struct inode *inode, struct file *file)
{
    int result = 0;

    mutex_lock(&state_lock);
    if (is_served)
        result = -EBUSY;
    is_served = true;
    mutex_unlock(&state_lock);
    return result;
}

static int lab_release(struct inode *inode, struct file *file)
{
    mutex_lock(&state_lock);
    is_served = false;
    is_asked = false;
    mutex_unlock(&state_lock);
    wake_up(&bus_waits);
    return 0;
}

static const struct file_operations lab_operations = {
    .owner = THIS_MODULE,
    .open = lab_open,
    .release = lab_release,
    .read = lab_read,
    .write = lab_write,
};
static struct miscdevice lab_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "nfc-lab-bus",
    .fops = &lab_operations,
};
static struct platform_device *parent;
static struct spi_controller *lab_spi;

static int add_spi(void)
{
    /* spidev takes only chips that it knows by name; this is one of them. */
    struct spi_board_info chip = {.modalias = "dh2228fv", .max_speed_hz = 5000000};
    int result;

    lab_spi = spi_alloc_host(&parent->dev, 0);
    if (!lab_spi)
        return -ENOMEM;
    lab_spi->bus_num = spi_bus;
    lab_spi->num_chipselect = 1;
    /* As the controller of a Raspberry Pi: the least significant bit cannot be first. */
    lab_spi->mode_bits = SPI_CPOL | SPI_CPHA | SPI_CS_HIGH;
    lab_spi->bits_per_word_mask = SPI_BPW_MASK(8);
    lab_spi->transfer_one_message = lab_spi_transfer;
    result = spi_register_controller(lab_spi);
    if (result) {
        spi_controller_put(lab_spi);
        return result;
    }
    if (spi_new_device(lab_spi, &chip))
        return 0;
    spi_unregister_controller(lab_spi);
    return -ENODEV;
}

static void free_buffers(void)
{
    kvfree(request);
    kvfree(answer);
}

static int __init lab_init(void)
{
    int result = -ENOMEM;

    request = kvmalloc(MOST_BYTES, GFP_KERNEL);
    answer = kvmalloc(MOST_BYTES, GFP_KERNEL);
    if (!request || !answer)
        goto no_memory;
    parent = platform_device_register_simple("nfc-lab", -1, NULL, 0);
    result = PTR_ERR_OR_ZERO(parent);
    if (result)
        goto no_memory;
    lab_i2c.nr = i2c_bus;
    lab_i2c.dev.parent = &parent->dev;
    result = i2c_add_numbered_adapter(&lab_i2c);
    if (result)
        goto no_i2c;
    result = add_spi();
    if (result)
        goto no_spi;
    result = misc_register(&lab_device);
    if (result == 0)
        return 0;
    spi_unregister_controller(lab_spi);
no_spi:
    i2c_del_adapter(&lab_i2c);
no_i2c:
    platform_device_unregister(parent);
no_memory:
    free_buffers();
    return result;
}

static void __exit lab_exit(void)
{
    misc_deregister(&lab_device);
    spi_unregister_controller(lab_spi);
    i2c_del_adapter(&lab_i2c);
    platform_device_unregister(parent);
    free_buffers();
}

module_init(lab_init);
module_exit(lab_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("I2C and SPI buses for tests, answered by a program");
