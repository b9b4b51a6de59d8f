import { PageError } from '../page/page-error.ts';
import type { HidCollection } from './hid-collections.ts';
import { OpenDevice, type OpenOptions, type RequestOf } from './open-device.ts';
import { hidForPage } from './policy.ts';
import type { HidPeripheral, IoEvent } from './ports.ts';

/** Input reports that the page has not got, and their length in base64. Further ones are left out. */
const MAX_UNREAD = { reports: 256, characters: 256 * 1024 };

/** A HID device that a page has open: reports that belong to a protected collection do not pass. */
export class OpenHid extends OpenDevice<HidPeripheral> {
  readonly #access: ReturnType<typeof hidForPage>;
  readonly #unread = { reports: 0, characters: 0 };

  constructor(options: OpenOptions<HidPeripheral>) {
    super(options);
    this.#access = hidForPage(options.peripheral);
  }

  override async perform(request: RequestOf<'hid'>): Promise<object> {
    switch (request.call) {
      case 'hid.send_report': {
        const { report_id, data } = request;
        requireReport(this.#access.output, report_id);
        await this.command('write', { report_id, data });
        return {};
      }
      case 'hid.send_feature_report': {
        const { report_id, data } = request;
        requireReport(this.#access.feature, report_id);
        await this.command('send_feature', { report_id, data });
        return {};
      }
      case 'hid.receive_feature_report': {
        const { report_id } = request;
        requireReport(this.#access.feature, report_id);
        const length = featureBytes(this.#access.collections, report_id);
        return await this.command('get_feature', { report_id, length });
      }
      default:
        throw new PageError('NotSupportedError', 'The device does not know this call.');
    }
  }

  override take(event: IoEvent): void {
    if (event.event !== 'input' || !this.#access.input.has(event.report_id)) return;
    const { report_id, data } = event;
    const unread = this.#unread;
    if (unread.reports >= MAX_UNREAD.reports || unread.characters >= MAX_UNREAD.characters) return;
    unread.reports += 1;
    unread.characters += data.length;
    this.emit({ event: 'hid.input', device: this.device, report_id, data }).finally(() => {
      unread.reports -= 1;
      unread.characters -= data.length;
    });
  }
}

function requireReport(allowed: ReadonlySet<number>, id: number): void {
  if (allowed.has(id)) return;
  throw new PageError('NotAllowedError', `The page may not use report ${id} of this device.`);
}

/** Length of a feature report without its id, in bytes. The reports of a collection are also those within it. */
function featureBytes(collections: readonly HidCollection[], id: number): number {
  const reports = collections.flatMap((one) => one.featureReports).filter(({ reportId }) => reportId === id);
  const bits = reports
    .flatMap(({ items }) => items)
    .reduce((sum, { reportSize, reportCount }) => sum + reportSize * reportCount, 0);
  return Math.min(Math.ceil(bits / 8), 0xffff);
}
