import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Colour } from '../../testing/png.ts';
import { zip } from '../../testing/zip.ts';

const FOLDER = fileURLToPath(new URL('../media', import.meta.url));

/** The colours of the clips' left half, one second each, and that of their right half. See tests-qemu/media/README.md. */
export const SECONDS: readonly Colour[] = [
  [200, 30, 30],
  [30, 150, 30],
  [30, 30, 200],
  [220, 180, 30],
];
export const STILL: Colour = [128, 48, 144];
/** Colours of a video are not exact. */
export const TOLERANCE = 24;
/** Colour of the strip below the video when the page's own checks have passed; before that it is red. */
export const PASSED: Colour = [0, 255, 0];

/** A bundle that plays a clip without a user's gesture, in a loop and with sound, and checks what it can hear of it. */
async function playerBundle(start: string, files: Record<string, string | Buffer>): Promise<Buffer> {
  const sound = Object.keys(files).find((name) => /\.(?:mp4|webm)$/.test(name));
  return await zip({
    ...files,
    'index.html': `<!doctype html><meta charset="utf-8"><title>video</title>
<style>html,body{margin:0;height:100%;overflow:hidden}
  video{display:block;width:100%;height:80%;object-fit:fill}
  #strip{height:20%;background:#f00;font:20px sans-serif}</style>
<video autoplay loop></video><div id="strip"></div>
<script type="module">
const video = document.querySelector('video');
const strip = document.querySelector('#strip');
const say = (text) => { strip.append(text + ' '); };
onerror = (text) => say(text);
onunhandledrejection = ({ reason }) => say(reason);
video.onerror = () => say(video.error.message);
// When the clip starts again, a picture of its second half must have been on the screen, twice running: a slow computer
// skips pictures, at first all of some seconds.
let [shown, whole, checked] = [0, 0, false];
const pass = () => {
  if (checked && whole >= 2) { strip.textContent = ''; strip.style.background = '#0f0'; }
};
const notice = (_, { mediaTime }) => {
  shown = Math.max(shown, mediaTime);
  video.requestVideoFrameCallback(notice);
};
video.requestVideoFrameCallback(notice);
video.onseeked = () => {
  if (shown < 2) say('again after ' + shown.toFixed(1) + ' s');
  whole = shown < 2 ? 0 : whole + 1;
  shown = 0;
  pass();
};
${start}
// The decoded sound is a tone of 440 Hz: the power there, of that at three frequencies.
const coded = await (await fetch(${JSON.stringify(sound)})).arrayBuffer();
const audio = await new OfflineAudioContext(1, 1, 48000).decodeAudioData(coded);
const samples = audio.getChannelData(0).subarray(24000, 72000);
const power = (frequency) => {
  let [real, imaginary] = [0, 0];
  samples.forEach((sample, i) => {
    real += sample * Math.cos((2 * Math.PI * frequency * i) / audio.sampleRate);
    imaginary += sample * Math.sin((2 * Math.PI * frequency * i) / audio.sampleRate);
  });
  return real * real + imaginary * imaginary;
};
const tone = power(440) > 100 * (power(300) + power(1000));
say('tone ' + tone + ', ' + audio.duration.toFixed(2) + ' s');
while (video.currentTime < 1) await new Promise((done) => { video.addEventListener('timeupdate', done, { once: true }); });
const aloud = !video.muted && video.volume === 1 && !video.paused && !navigator.userActivation.hasBeenActive;
say('muted ' + video.muted + ', volume ' + video.volume + ', paused ' + video.paused + ', touched ' + navigator.userActivation.hasBeenActive);
checked = tone && aloud;
pass();
</script>`,
  });
}

/** A clip of tests-qemu/media. */
export async function mediaFile(name: string): Promise<Buffer> {
  return await readFile(`${FOLDER}/${name}`);
}

/** A bundle whose page plays a clip of tests-qemu/media as a file. */
export async function fileBundle(name: string): Promise<Buffer> {
  const file = await mediaFile(name);
  return await playerBundle(`video.src = ${JSON.stringify(name)};`, { [name]: file });
}

/** Splits a fragmented MP4 into its initialization segment and its media segments. */
export function segments(mp4: Buffer): Buffer[] {
  const starts = [0];
  for (let at = 0; at < mp4.length; at += mp4.readUInt32BE(at)) {
    if (mp4.toString('latin1', at + 4, at + 8) === 'moof') starts.push(at);
    if (mp4.readUInt32BE(at) < 8) throw new Error('a box of the clip has no size');
  }
  return starts.map((start, i) => mp4.subarray(start, starts[i + 1]));
}

/** A bundle whose page plays a clip as HLS, with media source extensions: it reads the playlist and appends segments. */
export async function hlsBundle(name: string): Promise<Buffer> {
  const whole = await readFile(`${FOLDER}/${name}`);
  const [init = whole, ...media] = segments(whole);
  const listed = media.map((_, i) => `#EXTINF:1.0,\nsegment-${i}.m4s`);
  const playlist = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    '#EXT-X-TARGETDURATION:1',
    '#EXT-X-MAP:URI="init.m4s"',
    ...listed,
  ];
  return await playerBundle(
    `const type = 'video/mp4; codecs="avc1.64000c, mp4a.40.2"';
if (!MediaSource.isTypeSupported(type)) throw new Error(type + ' is not supported');
const source = new MediaSource();
video.src = URL.createObjectURL(source);
await new Promise((done) => { source.onsourceopen = done; });
const buffer = source.addSourceBuffer(type);
const playlist = await (await fetch('clip.m3u8')).text();
for (const file of playlist.match(/[a-z0-9-]+\\.m4s/g)) {
  buffer.appendBuffer(await (await fetch(file)).arrayBuffer());
  await new Promise((done, failed) => { buffer.onupdateend = done; buffer.onerror = failed; });
}
source.endOfStream();`,
    {
      [name]: whole,
      'clip.m3u8': [...playlist, '#EXT-X-ENDLIST', ''].join('\n'),
      'init.m4s': init,
      ...Object.fromEntries(media.map((segment, i) => [`segment-${i}.m4s`, segment])),
    },
  );
}

/** A page with an animation and a looping video. */
function animation(source: string): string {
  return `<!doctype html><meta charset="utf-8"><title>animation</title>
<style>html,body{margin:0;height:100%;overflow:hidden;background:#222}
  video{display:block;width:100%;height:80%;object-fit:fill}
  b{position:absolute;bottom:2%;width:12vh;height:12vh;background:#0cf;animation:move 3s infinite alternate ease-in-out}
  @keyframes move{to{transform:translateX(80vw) rotate(1turn)}}</style>
<video autoplay loop></video><b></b><script>
${source}</script>`;
}

/** A bundle with an animation and a looping video that is a file of it. */
export async function animatedBundle(): Promise<Buffer> {
  const file = await readFile(`${FOLDER}/h264-aac.mp4`);
  return await zip({
    'index.html': animation("document.querySelector('video').src = 'clip.mp4';"),
    'clip.mp4': file,
  });
}

/** A page with an animation and a looping video that is part of the page. */
export async function animatedPage(): Promise<string> {
  const clip = (await readFile(`${FOLDER}/vp9-opus.webm`)).toString('base64');
  return animation(`const bytes = Uint8Array.fromBase64('${clip}');
document.querySelector('video').src = URL.createObjectURL(new Blob([bytes], { type: 'video/webm' }));`);
}
