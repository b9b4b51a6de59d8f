/** The clip is of one colour until second 3, then of another. */
const LATER_S = 4.5;

function event(video, name) {
  return new Promise((resolve, reject) => {
    video.addEventListener(name, resolve, { once: true });
    video.addEventListener('error', () => reject(new Error(video.error?.message || 'the video failed')), {
      once: true,
    });
  });
}

/** Plays the clip's beginning, then jumps into its second part and stays there. */
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
