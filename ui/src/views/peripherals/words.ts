/** Peripherals in the user's language. */
import type { Peripheral } from '../../../../client/peripheral-permissions.ts';
import { language, t } from '../../app/texts.ts';
import { type Device, driversOf, hex, usagesOf } from './devices.ts';

/** The interface by which pages would use it; these names are the same in every language. */
export const API_NAMES = { hid: 'WebHID', serial: 'Web Serial', usb: 'WebUSB' } as const;

export function nameOf({ name }: Pick<Device, 'name'>): string {
  return name ?? t('peripherals.unnamed');
}

/** As people tell it from others in a sentence: `Voyager 1450g (WebHID)`. */
export function partName({ product, manufacturer, kind }: Peripheral): string {
  return `${nameOf({ name: product?.trim() || manufacturer?.trim() || undefined })} (${API_NAMES[kind]})`;
}

export function listOf(words: readonly string[]): string {
  return new Intl.ListFormat(language.value, { type: 'conjunction' }).format(words);
}

/** The kernel's name of a peripheral, and what tells it from others of the same device. */
export function partText(part: Peripheral): string {
  const [usages, drivers] = [usagesOf(part), driversOf(part)];
  return [
    part.id,
    ...(usages.length > 0 ? [t('peripherals.usages', { usages: usages.join(', ') })] : []),
    ...(drivers.length > 0 ? [t('peripherals.drivers', { drivers: drivers.join(', ') })] : []),
    ...(part.rule === null ? [] : [`devices.${part.kind}.allow[${part.rule}]`]),
  ].join(' · ');
}

/** What the suggested entry of a peripheral matches; undefined if none is suggested. */
export function suggestionText({ suggestion }: Peripheral): string | undefined {
  if (suggestion === null) return undefined;
  if ('usbVendorId' in suggestion) {
    return t('peripherals.allow_entry', {
      ids: `${hex(suggestion.usbVendorId)}:${hex(suggestion.usbProductId)}`,
    });
  }
  const ids = `${hex(suggestion.vendorId)}:${hex(suggestion.productId)}`;
  const page = 'usagePage' in suggestion ? suggestion.usagePage : undefined;
  if (page === undefined) return t('peripherals.allow_entry', { ids });
  const usage = 'usage' in suggestion && suggestion.usage !== undefined ? `:${hex(suggestion.usage)}` : '';
  return t('peripherals.allow_entry_usage', { ids, usage: `${hex(page)}${usage}` });
}
