/** A position in the second part: the clip has one colour until second 3, then another. */
const LATER_S = 4.5;

function event(video, name) {
  return new Promise((resolve, reject) => {
    video.addEventListener(name, resolve, { once: true });
    video.addEventListener('error', () => reject(new Error(video.error?.message || 'the video failed')), {
      once: true,
    });
  });
}

/** Plays the beginning of the clip, then seeks to its second part and stops. */
export async function playAndSeek(video, src) {
  video.src = src;
  if (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) await event(video, 'loadeddata');
  await video.play();
  while (video.currentTime < 0.2) await event(video, 'timeupdate');
  video.pause();
  const played = video.currentTime;
  const seeked = event(video, 'seeked');
  video.currentTime = LATER_S;
  await seeked;
  return `${video.videoWidth} × ${video.videoHeight}, played to ${played.toFixed(1)} s, then at ${video.currentTime} of ${video.duration.toFixed(1)} s`;
}
