import { useEffect } from 'preact/hooks';
import { connection } from '../../app/device-state.ts';
import type { Stream } from './stream.ts';

/** While a component is shown: what arrives after a loss of the connection, or after another view, says that some may be missing. */
export function useGaps(stream: Stream): void {
  useEffect(() => connection.onOpen(() => stream.interrupted()), [stream]);
}
