import type { Records } from '../../base/limited-log.ts';
import { isTooDeep } from '../../contract/json.ts';
import { messageSize, type PageEvent } from '../../resources/page/ports.ts';
import type { DeviceChannelEvent } from '../../resources/peripherals/ports.ts';
import type { Valid } from '../../validation/validator.ts';
import type { Channel, Message } from './messages.ts';
import type { ChannelKind } from './rules.ts';

type ChannelMessage = Valid<typeof Channel>;

export interface PageChannelsOptions {
  emit: (event: PageEvent | DeviceChannelEvent) => void;
  /** Gives credits back for a message that is not passed on. */
  credit: (channel: number, size: number) => void;
  log: Pick<Records, 'debug'>;
}

/** The channels of the document on the screen, one of each kind (browser/PROTOCOL.md), as events of their kind. */
export class PageChannels {
  readonly #options: PageChannelsOptions;
  readonly #open = new Map<ChannelKind, ChannelMessage>();

  constructor(options: PageChannelsOptions) {
    this.#options = options;
  }

  take(channel: ChannelMessage): void {
    this.#close(channel.kind);
    if (!channel.open) return;
    this.#open.set(channel.kind, channel);
    this.#emit(channel);
  }

  /** Takes a message of an open channel of this kind. */
  takeMessage({ channel, origin, data }: Valid<typeof Message>, kind: ChannelKind): void {
    const { emit, credit, log } = this.#options;
    if (!isMessage(data)) {
      log.debug({ origin }, 'a message of the page is not JSON, or nested too deeply');
      credit(channel, messageSize(data));
    } else if (kind === 'devices') {
      emit({ event: 'device_message', channel, data });
    } else {
      // In JSON, line ends are only between values. Hosts on serial get one line.
      emit({ event: 'message', channel, origin, data: data.replaceAll(/[\r\n]/g, ' ') });
    }
  }

  /** The browser is gone, or another one takes its place. */
  closeAll(): void {
    for (const kind of this.#open.keys()) this.#close(kind);
  }

  #close(kind: ChannelKind): void {
    const channel = this.#open.get(kind);
    if (!channel) return;
    this.#open.delete(kind);
    this.#emit({ ...channel, open: false });
  }

  #emit({ kind, channel, open, origin }: ChannelMessage): void {
    const event = kind === 'devices' ? 'device_channel' : 'channel';
    this.#options.emit({ event, channel, open, origin });
  }
}

/** Whether a page's message is JSON that can be passed on. */
function isMessage(text: string): boolean {
  if (isTooDeep(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
