// Runs in every frame, in a script world of its own: seeks again when a video in a loop does not come back to its start.
// WebKit 2.54 takes the player of media source extensions apart when a video ends. On a busy computer the loop's seek can
// be lost: the video is `seeking` at 0 s for ever. With another seek it plays again.
{
  const FIRST_MS = 1000;
  const LAST_MS = 64_000;
  const watched = new WeakSet();

  const watch = (video, ms) => {
    setTimeout(() => {
      const isLost = video.seeking && video.loop && !video.paused && video.currentTime === 0;
      if (!isLost || ms > LAST_MS) {
        watched.delete(video);
        return;
      }
      video.currentTime = 0;
      watch(video, 2 * ms); // longer, in case that this seek is only slow
    }, ms);
  };
  addEventListener(
    'seeking',
    ({ isTrusted, target }) => {
      if (!isTrusted || !(target instanceof HTMLMediaElement) || watched.has(target)) return;
      if (!target.loop || target.currentSrc.startsWith('http')) return; // a file, whose player stays
      watched.add(target);
      watch(target, FIRST_MS);
    },
    true,
  );
}
