// GStreamer plugin with which a page can show a video in a loop. Players choose its elements because of their ranks. Each
// is a bin around the element that does the work.
//
// Demuxers ignore seeks to a segment. WebKit 2.54 uses them for a loop: the demuxer reports the end of the segment when it
// has read it, while seconds of it are still queued; WebKit seeks back and flushes the queues. The video loses its end in
// each loop, or stands still on its first frame. Without a segment there is an end of the stream, which the sinks report.
//
// The decoder of H.264 starts afresh after a flush. openh264 loses the pictures that it gives out at the end of a stream
// with B-frames; after a seek back it soon has none left, and decodes nothing before the next seek.
//
// The sink of sound gives no clock. pulsesink's stands still while its stream has nothing to play. Pictures that wait for it
// then fill the queue before the decoder, the demuxer waits for room, no sound follows, and the video stands still for ever:
// seen on a busy computer. With the clock of the system, pictures go on and the sound is aligned to them.
#include <gst/gst.h>

typedef GstBin Wrapper;
typedef struct {
    GstBinClass parent;
    const char *wrapped; // name of the element inside
} WrapperClass;

static GstStaticPadTemplate mp4
    = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS("video/quicktime; audio/x-m4a"));
static GstStaticPadTemplate webm = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS("video/webm; audio/webm; video/x-matroska; audio/x-matroska"));
static GstStaticPadTemplate video
    = GST_STATIC_PAD_TEMPLATE("video_%u", GST_PAD_SRC, GST_PAD_SOMETIMES, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate audio
    = GST_STATIC_PAD_TEMPLATE("audio_%u", GST_PAD_SRC, GST_PAD_SOMETIMES, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate subtitle
    = GST_STATIC_PAD_TEMPLATE("subtitle_%u", GST_PAD_SRC, GST_PAD_SOMETIMES, GST_STATIC_CAPS_ANY);
// Those of openh264dec.
static GstStaticPadTemplate h264 = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS("video/x-h264, stream-format = byte-stream, alignment = au, "
                    "profile = { constrained-baseline, baseline, main, high, constrained-high, progressive-high }"));
static GstStaticPadTemplate picture
    = GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS("video/x-raw, format = I420"));
static GstStaticPadTemplate sound
    = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS("audio/x-raw"));

static GstPad *add_ghost(GstElement *self, GstElement *inner, const char *name, GstStaticPadTemplate *of)
{
    g_autoptr(GstPad) target = gst_element_get_static_pad(inner, name);
    g_autoptr(GstPadTemplate) template = gst_static_pad_template_get(of);
    GstPad *ghost = gst_ghost_pad_new_from_template(name, target, template);
    gst_element_add_pad(self, ghost);
    return ghost;
}

// Returns NULL when the element is not installed; the wrapper then has no pads.
static GstElement *add_wrapped(GTypeInstance *self, gpointer class)
{
    GstElement *inner = gst_element_factory_make(((WrapperClass *)class)->wrapped, NULL);
    if (inner)
        gst_bin_add(GST_BIN(self), inner);
    return inner;
}

static GQuark ghost_quark(void)
{
    return g_quark_from_static_string("vitrine-ghost");
}

// A seek to a segment that does not flush goes to where the video is already. It is dropped, which counts as done.
static GstPadProbeReturn drop_segment_seek(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
    GstSeekFlags flags;
    if (GST_EVENT_TYPE(event) != GST_EVENT_SEEK)
        return GST_PAD_PROBE_OK;
    gst_event_parse_seek(event, NULL, NULL, &flags, NULL, NULL, NULL, NULL);
    return flags & GST_SEEK_FLAG_SEGMENT && !(flags & GST_SEEK_FLAG_FLUSH) ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

static gboolean copy_sticky_event(GstPad *pad, GstEvent **event, gpointer ghost)
{
    gst_pad_store_sticky_event(ghost, *event);
    return TRUE;
}

static void stream_added(GstElement *inner, GstPad *pad, gpointer self)
{
    g_autofree char *name = gst_pad_get_name(pad);
    GstPad *ghost = gst_ghost_pad_new_from_template(name, pad, GST_PAD_PAD_TEMPLATE(pad));
    g_object_set_qdata(G_OBJECT(pad), ghost_quark(), ghost);
    gst_pad_add_probe(ghost, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, drop_segment_seek, NULL, NULL);
    gst_pad_set_active(ghost, TRUE);
    gst_pad_sticky_events_foreach(pad, copy_sticky_event, ghost);
    gst_element_add_pad(self, ghost);
}

static void stream_removed(GstElement *inner, GstPad *pad, gpointer self)
{
    GstPad *ghost = g_object_steal_qdata(G_OBJECT(pad), ghost_quark());
    if (!ghost)
        return;
    gst_pad_set_active(ghost, FALSE);
    gst_element_remove_pad(self, ghost);
}

static void demuxer_init(GTypeInstance *self, gpointer class)
{
    GstElement *inner = add_wrapped(self, class);
    if (!inner)
        return;
    add_ghost(GST_ELEMENT(self), inner, "sink", g_str_equal(((WrapperClass *)class)->wrapped, "qtdemux") ? &mp4 : &webm);
    g_signal_connect_object(inner, "pad-added", G_CALLBACK(stream_added), self, 0);
    g_signal_connect_object(inner, "pad-removed", G_CALLBACK(stream_removed), self, 0);
    g_signal_connect_object(inner, "no-more-pads", G_CALLBACK(gst_element_no_more_pads), self, G_CONNECT_SWAPPED);
}

// Restarts the decoder. Its pad is linked anew, so that it is told the format again.
static GstPadProbeReturn restart_after_flush(GstPad *ghost, GstPadProbeInfo *info, gpointer inner)
{
    if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) != GST_EVENT_FLUSH_STOP)
        return GST_PAD_PROBE_OK;
    g_autoptr(GstPad) target = gst_ghost_pad_get_target(GST_GHOST_PAD(ghost));
    gst_ghost_pad_set_target(GST_GHOST_PAD(ghost), NULL);
    gst_element_set_state(inner, GST_STATE_READY);
    gst_ghost_pad_set_target(GST_GHOST_PAD(ghost), target);
    gst_element_sync_state_with_parent(inner);
    return GST_PAD_PROBE_OK;
}

static void decoder_init(GTypeInstance *self, gpointer class)
{
    GstElement *inner = add_wrapped(self, class);
    if (!inner)
        return;
    add_ghost(GST_ELEMENT(self), inner, "src", &picture);
    GstPad *sink = add_ghost(GST_ELEMENT(self), inner, "sink", &h264);
    gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_EVENT_FLUSH, restart_after_flush, inner, NULL);
}

static void sound_init(GTypeInstance *self, gpointer class)
{
    GstElement *inner = add_wrapped(self, class);
    if (!inner)
        return;
    g_object_set(inner, "provide-clock", FALSE, NULL);
    add_ghost(GST_ELEMENT(self), inner, "sink", &sound);
}

static void demuxer_class_init(gpointer class, gpointer wrapped)
{
    GstElementClass *element = class;
    ((WrapperClass *)class)->wrapped = wrapped;
    gst_element_class_add_static_pad_template(element, g_str_equal(wrapped, "qtdemux") ? &mp4 : &webm);
    gst_element_class_add_static_pad_template(element, &video);
    gst_element_class_add_static_pad_template(element, &audio);
    gst_element_class_add_static_pad_template(element, &subtitle);
    gst_element_class_set_static_metadata(element, "Demuxer that ignores segments", "Codec/Demuxer",
        "qtdemux or matroskademux without segments", "Vitrine");
}

static void decoder_class_init(gpointer class, gpointer wrapped)
{
    GstElementClass *element = class;
    ((WrapperClass *)class)->wrapped = wrapped;
    gst_element_class_add_static_pad_template(element, &h264);
    gst_element_class_add_static_pad_template(element, &picture);
    gst_element_class_set_static_metadata(element, "H.264 decoder that restarts", "Codec/Decoder/Video",
        "openh264dec, restarted after a flush", "Vitrine");
}

static void sound_class_init(gpointer class, gpointer wrapped)
{
    GstElementClass *element = class;
    ((WrapperClass *)class)->wrapped = wrapped;
    gst_element_class_add_static_pad_template(element, &sound);
    gst_element_class_set_static_metadata(element, "Sound sink without a clock", "Sink/Audio",
        "pulsesink that gives no clock", "Vitrine");
}

static gboolean add(GstPlugin *plugin, const char *name, GstRank rank, GClassInitFunc class_init,
    GInstanceInitFunc init, const char *wrapped)
{
    const GTypeInfo type = {.class_size = sizeof(WrapperClass), .class_init = class_init, .class_data = wrapped,
        .instance_size = sizeof(Wrapper), .instance_init = init};
    return gst_element_register(plugin, name, rank, g_type_register_static(GST_TYPE_BIN, name, &type, 0));
}

static gboolean plugin_init(GstPlugin *plugin)
{
    // The demuxers and openh264dec have the ranks PRIMARY and MARGINAL, decoders in hardware at least PRIMARY, and
    // pulsesink PRIMARY + 10.
    return add(plugin, "vitrinemp4demux", GST_RANK_PRIMARY + 1, demuxer_class_init, demuxer_init, "qtdemux")
        && add(plugin, "vitrinewebmdemux", GST_RANK_PRIMARY + 1, demuxer_class_init, demuxer_init, "matroskademux")
        && add(plugin, "vitrineh264dec", GST_RANK_MARGINAL + 1, decoder_class_init, decoder_init, "openh264dec")
        && add(plugin, "vitrinesoundsink", GST_RANK_PRIMARY + 11, sound_class_init, sound_init, "pulsesink");
}

#define PACKAGE "vitrine-browser"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, vitrine, "Videos in a loop", plugin_init, "1", "Apache 2.0",
    PACKAGE, PACKAGE)
