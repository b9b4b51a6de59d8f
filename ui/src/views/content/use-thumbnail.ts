/** Takes pictures of bundles that this view shows on the screen, for their thumbnails. */
import { useEffect } from 'preact/hooks';
import { connection, type DisplayState } from '../../app/device-state.ts';
import { keepThumbnail } from '../../app/thumbnails.ts';

/** A page paints shortly after it has loaded. */
const PAINT_MS = 600;
const TIMEOUT_MS = 20_000;

/** Takes one picture after each change of the state, if the screen shows a bundle. */
export function useThumbnail(state: DisplayState | undefined): void {
  useEffect(() => {
    if (state?.mode !== 'bundle' || state.loading || state.error) return;
    const stop = new AbortController();
    const timer = setTimeout(() => void take(state, stop.signal), PAINT_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [state]);
}

/** Never rejects: without a picture, an icon stays. */
async function take(state: DisplayState, signal: AbortSignal): Promise<void> {
  const options = { signal, timeoutMs: TIMEOUT_MS };
  const bytes = await connection.client.download('/display/screenshot', options).catch(() => undefined);
  if (!bytes) return;
  const address = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: 'image/png' }));
  await keepThumbnail(state, address);
  URL.revokeObjectURL(address);
}
