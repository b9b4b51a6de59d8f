// Runs in every frame, in a script world of its own: scrolls a field into view when the on-screen keyboard pushes it out.
// WebKit itself does that only when something is typed.
{
  const WATCH_MS = 10_000; // after a field was touched or got the focus
  const MAX_HEIGHT = 300; // of a field; in a larger one, the caret counts, which WebKit shows when something is typed
  let end = 0;

  const observer = new IntersectionObserver(
    (entries) => {
      const { intersectionRatio, target, boundingClientRect } = entries.at(-1);
      const isHidden = intersectionRatio < 1 && boundingClientRect.height <= MAX_HEIGHT;
      if (isHidden && performance.now() < end) target.scrollIntoViewIfNeeded();
    },
    { threshold: [0, 0.25, 0.5, 0.75, 1] },
  );
  const watch = ({ isTrusted, target }) => {
    if (!isTrusted || !(target instanceof Element) || target !== document.activeElement) return;
    end = performance.now() + WATCH_MS;
    observer.disconnect();
    observer.observe(target);
  };
  // Stop when the user scrolls or leaves the field.
  const stop = () => {
    end = 0;
  };
  addEventListener('focusin', watch, true);
  addEventListener('pointerup', watch, true);
  addEventListener('focusout', stop, true);
  addEventListener('touchmove', stop, { capture: true, passive: true });
  addEventListener('wheel', stop, { capture: true, passive: true });
}
