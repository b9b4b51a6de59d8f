/** A radio that does at once what it is told, for tests of what the resource makes of it. */
import type { Link, RadioEvent, SeenNetwork, Setup, WifiRadio } from '../agent/src/resources/wifi/ports.ts';

export class FakeWifiRadio implements WifiRadio {
  interfaceName: string | undefined = 'wlan0';
  blocked = false;
  setups: Setup[] = [];
  /** Whether the service runs. */
  runs = false;
  /** A setup or scan is refused with this text. */
  refused: string | undefined;
  /** What the radio reports after a setup. */
  answer: (setup: Setup) => RadioEvent | undefined = linkOf;
  #scan = Promise.withResolvers<SeenNetwork[]>();
  scans = 0;
  readonly #listeners = new Set<(event: RadioEvent) => void>();

  async start(): Promise<void> {
    this.runs = true;
    this.emit({ type: 'ready' });
  }

  async stop(): Promise<void> {
    this.runs = false;
  }

  async setUp(setup: Setup): Promise<void> {
    if (this.refused !== undefined) throw new Error(this.refused);
    this.setups.push(setup);
    const event = this.answer(setup);
    if (event) this.emit(event);
  }

  scan(): Promise<SeenNetwork[]> {
    this.scans += 1;
    return this.#scan.promise;
  }

  endScan(seen: SeenNetwork[]): void {
    this.#scan.resolve(seen);
    this.#scan = Promise.withResolvers();
  }

  signal = async () => -42;
  isBlocked = async () => this.blocked;
  interfacesChanged = () => undefined;

  listen(listener: (event: RadioEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: RadioEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/** A station joins the wanted or the best network, an access point starts. */
function linkOf(setup: Setup): RadioEvent | undefined {
  if (setup.mode === 'ap') return { type: 'link', link: { phase: 'serving', frequencyMhz: 2437 } };
  const { networks, only } = setup;
  const [best] = [...networks].sort((a, b) => b.priority - a.priority);
  const ssid = only ?? best?.ssid;
  return ssid === undefined ? undefined : { type: 'link', link: joinedLink(ssid) };
}

export function joinedLink(ssid: string): Link {
  return { phase: 'joined', ssid, bssid: '02:00:00:00:01:00', frequencyMhz: 2412, signalDbm: -60 };
}
