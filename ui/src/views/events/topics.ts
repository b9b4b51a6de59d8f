/** The topics of the device, and which of them are followed. Pure. */
import type { TopicName } from '../../../../client/contract.ts';

export const GROUPS = ['screen', 'page', 'connections', 'device'] as const;
export type Group = (typeof GROUPS)[number];

interface TopicInfo {
  readonly group: Group;
  /** It is followed unless the user chooses: it costs the device nothing, and comes when something changes. */
  readonly isUsual: boolean;
}

const TOPICS: Readonly<Record<TopicName, TopicInfo>> = {
  display_state: { group: 'screen', isUsual: true },
  splash_changed: { group: 'screen', isUsual: true },
  input_raw: { group: 'screen', isUsual: false },
  page_channel: { group: 'page', isUsual: true },
  page_message: { group: 'page', isUsual: false },
  page_console: { group: 'page', isUsual: false },
  network_changed: { group: 'connections', isUsual: true },
  wifi_changed: { group: 'connections', isUsual: true },
  bluetooth_changed: { group: 'connections', isUsual: true },
  peripherals_changed: { group: 'connections', isUsual: true },
  nfc_tag: { group: 'connections', isUsual: true },
  nfc_tag_removed: { group: 'connections', isUsual: true },
  nfc_reader_connected: { group: 'connections', isUsual: true },
  nfc_reader_disconnected: { group: 'connections', isUsual: true },
  operation: { group: 'device', isUsual: true },
  update_changed: { group: 'device', isUsual: true },
  certificates_changed: { group: 'device', isUsual: true },
  config_changed: { group: 'device', isUsual: true },
  health: { group: 'device', isUsual: false },
  log: { group: 'device', isUsual: false },
};

/** Every topic, in the order of the groups. */
export function topicNames(): TopicName[] {
  // Object.keys has no better type; the object has exactly these keys.
  return Object.keys(TOPICS) as TopicName[];
}

export function topicsOf(group: Group): TopicName[] {
  return topicNames().filter((name) => TOPICS[name].group === group);
}

export function usualTopics(): TopicName[] {
  return topicNames().filter((name) => TOPICS[name].isUsual);
}

/** The topics among some names. */
export function topicsIn(names: readonly string[]): TopicName[] {
  return topicNames().filter((name) => names.includes(name));
}

const SECRET = /(?:^|_)(?:psk|token|passphrase|password|secret)$/i;
const HIDDEN = '•••';

/** A payload as JSON, without the passwords of the configuration: what is shown here is shown to others, and saved. */
export function payloadText(payload: unknown): string {
  return JSON.stringify(payload ?? null, (key, value: unknown) =>
    typeof value === 'string' && value !== '' && SECRET.test(key) ? HIDDEN : value,
  );
}
