/** The settings that this view shows, read from the configuration. Pure. */
import { groupIn, textIn, textsIn } from '../../app/config-values.ts';

export const PROXY_MODES = ['none', 'manual', 'pac'] as const;
export type ProxyMode = (typeof PROXY_MODES)[number];

/** The proxy as the form has it; an empty text is none. */
export interface ProxySettings {
  readonly mode: ProxyMode;
  readonly http: string;
  readonly https: string;
  /** What is reached without the proxy, separated by spaces. */
  readonly noProxy: string;
  readonly pacUrl: string;
}

export function proxyIn(config: unknown): ProxySettings {
  const proxy = groupIn(config, 'proxy');
  return {
    mode: PROXY_MODES.find((one) => one === proxy.mode) ?? 'none',
    http: textIn(proxy, 'http') ?? '',
    https: textIn(proxy, 'https') ?? '',
    noProxy: textsIn(proxy, 'no_proxy').join(' '),
    pacUrl: textIn(proxy, 'pac_url') ?? '',
  };
}

/** The patch of the configuration that stores a proxy. */
export function proxyPatch({ mode, http, https, noProxy, pacUrl }: ProxySettings) {
  const orNull = (text: string): string | null => text.trim() || null;
  return {
    proxy: {
      mode,
      http: orNull(http),
      https: orNull(https),
      no_proxy: wordsIn(noProxy),
      pac_url: orNull(pacUrl),
    },
  };
}

export function isSameProxy(one: ProxySettings, other: ProxySettings): boolean {
  return JSON.stringify(proxyPatch(one)) === JSON.stringify(proxyPatch(other));
}

/** What an address is missing in a mode; undefined if nothing is. */
export function missingInProxy({ mode, http, https, pacUrl }: ProxySettings): 'http' | 'pac' | undefined {
  if (mode === 'manual' && http.trim() === '' && https.trim() === '') return 'http';
  return mode === 'pac' && pacUrl.trim() === '' ? 'pac' : undefined;
}

/** The words of a text that spaces, commas or line ends separate, each once. */
export function wordsIn(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((word) => word !== ''))];
}

export interface HostAccess {
  readonly hostServices: boolean;
  readonly remoteDebugging: boolean;
}

export function hostAccessIn(config: unknown): HostAccess {
  const browser = groupIn(config, 'browser');
  return {
    hostServices: browser.allow_host_services === true,
    remoteDebugging: browser.remote_debugging === true,
  };
}

export function timeServersIn(config: unknown): string[] {
  return textsIn(groupIn(config, 'device'), 'ntp_servers');
}
