// GStreamer plugin with which a page can show a video in a loop. Players choose its elements because of their ranks.
// Each is a bin around the element that does the work.
//
// Demuxers ignore seeks to a segment. WebKit 2.54 uses them for a loop: the demuxer reports the end of the segment when
// it has read it, while seconds of it are still queued; WebKit seeks back and flushes the queues. The video loses its
// end in each loop, or stands still on its first frame. Without a segment there is an end of the stream, which is
// reported by the sinks, when it has been shown.
//
// The decoder of H.264 is restarted after a flush. openh264 loses the pictures that it gives out at the end of a stream
// with B-frames; after a seek back it soon has none left, and decodes nothing before the next seek.
//
// The sink for sound provides no clock. The clock of pulsesink stands still while its stream has nothing to play. Then
// pictures that wait for it fill the queue before the decoder, the demuxer waits for room, no sound follows, and the
// video stands still for ever: seen on a busy computer. With the system's clock, pictures continue, and the sound is
// aligned to them.
#include <gst/gst.h>

typedef struct {
    const char *name;
    GstRank rank;
    const char *wrapped; // name of the element inside
    const char *class, *title, *description;
    void (*set_up)(GstElement *self, GstElement *inner);
    GstStaticPadTemplate *pads[4];
} Kind;

typedef GstBin Wrapper;
typedef struct {
    GstBinClass parent;
    const Kind *kind;
} WrapperClass;

static GstStaticPadTemplate mp4 = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS("video/quicktime; video/mj2; audio/x-m4a; application/x-3gp"));
static GstStaticPadTemplate webm = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS("video/webm; audio/webm; video/x-matroska; audio/x-matroska; video/x-matroska-3d"));
static GstStaticPadTemplate video =
    GST_STATIC_PAD_TEMPLATE("video_%u", GST_PAD_SRC, GST_PAD_SOMETIMES, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate audio =
    GST_STATIC_PAD_TEMPLATE("audio_%u", GST_PAD_SRC, GST_PAD_SOMETIMES, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate subtitle =
    GST_STATIC_PAD_TEMPLATE("subtitle_%u", GST_PAD_SRC, GST_PAD_SOMETIMES, GST_STATIC_CAPS_ANY);
// The pads of openh264dec.
static GstStaticPadTemplate h264 = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS("video/x-h264, stream-format = byte-stream, alignment = au, "
                    "profile = { constrained-baseline, baseline, main, high, constrained-high, progressive-high }"));
static GstStaticPadTemplate picture =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS("video/x-raw, format = I420"));
static GstStaticPadTemplate sound =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS("audio/x-raw"));

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

static void set_up_demuxer(GstElement *self, GstElement *inner)
{
    g_signal_connect_object(inner, "pad-added", G_CALLBACK(stream_added), self, 0);
    g_signal_connect_object(inner, "pad-removed", G_CALLBACK(stream_removed), self, 0);
    g_signal_connect_object(inner, "no-more-pads", G_CALLBACK(gst_element_no_more_pads), self, G_CONNECT_SWAPPED);
}

// Restarts the decoder. Its pad is linked again, so that it gets the format again.
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

static void set_up_decoder(GstElement *self, GstElement *inner)
{
    g_autoptr(GstPad) sink = gst_element_get_static_pad(self, "sink");
    gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_EVENT_FLUSH, restart_after_flush, inner, NULL);
}

static void set_up_sound(GstElement *self, GstElement *inner)
{
    g_object_set(inner, "provide-clock", FALSE, NULL);
}

// The demuxers and openh264dec have the ranks PRIMARY and MARGINAL, decoders in hardware at least PRIMARY, and
// pulsesink PRIMARY + 10.
static const Kind kinds[] = {
    {"vitrinemp4demux", GST_RANK_PRIMARY + 1, "qtdemux", "Codec/Demuxer", "Demuxer that ignores segments",
        "qtdemux without segments", set_up_demuxer, {&mp4, &video, &audio, &subtitle}},
    {"vitrinewebmdemux", GST_RANK_PRIMARY + 1, "matroskademux", "Codec/Demuxer", "Demuxer that ignores segments",
        "matroskademux without segments", set_up_demuxer, {&webm, &video, &audio, &subtitle}},
    {"vitrineh264dec", GST_RANK_MARGINAL + 1, "openh264dec", "Codec/Decoder/Video", "H.264 decoder that restarts",
        "openh264dec, restarted after a flush", set_up_decoder, {&h264, &picture}},
    {"vitrinesoundsink", GST_RANK_PRIMARY + 11, "pulsesink", "Sink/Audio", "Sound sink without a clock",
        "pulsesink that gives no clock", set_up_sound, {&sound}},
};

static void wrapper_class_init(gpointer class, gpointer data)
{
    const Kind *kind = ((WrapperClass *)class)->kind = data;
    for (size_t i = 0; i < G_N_ELEMENTS(kind->pads) && kind->pads[i]; i++)
        gst_element_class_add_static_pad_template(class, kind->pads[i]);
    gst_element_class_set_static_metadata(class, kind->title, kind->class, kind->description, "Vitrine");
}

// Without the element inside, which may not be installed, the wrapper has no pads.
static void wrapper_init(GTypeInstance *self, gpointer class)
{
    const Kind *kind = ((WrapperClass *)class)->kind;
    GstElement *inner = gst_element_factory_make(kind->wrapped, NULL);
    if (!inner)
        return;
    gst_bin_add(GST_BIN(self), inner);
    for (size_t i = 0; i < G_N_ELEMENTS(kind->pads) && kind->pads[i]; i++) {
        if (kind->pads[i]->presence != GST_PAD_ALWAYS)
            continue;
        g_autoptr(GstPad) target = gst_element_get_static_pad(inner, kind->pads[i]->name_template);
        g_autoptr(GstPadTemplate) template = gst_static_pad_template_get(kind->pads[i]);
        gst_element_add_pad(
            GST_ELEMENT(self), gst_ghost_pad_new_from_template(kind->pads[i]->name_template, target, template));
    }
    kind->set_up(GST_ELEMENT(self), inner);
}

static gboolean plugin_init(GstPlugin *plugin)
{
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        const GTypeInfo type = {
            .class_size = sizeof(WrapperClass),
            .class_init = wrapper_class_init,
            .class_data = &kinds[i],
            .instance_size = sizeof(Wrapper),
            .instance_init = wrapper_init,
        };
        if (!gst_element_register(
                plugin, kinds[i].name, kinds[i].rank, g_type_register_static(GST_TYPE_BIN, kinds[i].name, &type, 0)))
            return FALSE;
    }
    return TRUE;
}

#define PACKAGE "vitrine-browser"
GST_PLUGIN_DEFINE(
    GST_VERSION_MAJOR, GST_VERSION_MINOR, vitrine, "Videos in a loop", plugin_init, "1", "Apache 2.0", PACKAGE, PACKAGE)
