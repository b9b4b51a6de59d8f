/**
 * The browsers in the tests of the web app: Chromium and Firefox of the image's Debian suite, unpacked in the cache. They are
 * the same on every computer, and not every distribution has them as packages.
 */
import { join } from 'node:path';
import { type Browser, type BrowserServer, chromium } from 'playwright-core';
import { buildTestBrowser } from './image/build.ts';
import type { BrowserName } from './image/lib/conf.ts';

const PROGRAMS: Record<BrowserName, string> = {
  chromium: 'usr/lib/chromium/chromium-headless-shell',
  firefox: 'usr/lib/firefox-esr/firefox-esr',
};

export interface TestBrowser {
  /** The program. Chromium's shows no window; Firefox shows none if it is started so. */
  executablePath: string;
  env: Record<string, string>;
}

/** Environment variable with the browser's folder, for test files, of which several run at a time. */
const variable = (name: BrowserName): string => `VITRINE_TEST_${name.toUpperCase()}`;

/** Downloads and unpacks a browser if necessary, so that the test files started by this process find it. */
export async function prepareTestBrowser(name: BrowserName): Promise<void> {
  process.env[variable(name)] ??= await buildTestBrowser(name);
}

/** How a browser is started. It is downloaded and unpacked first if necessary. */
export async function ensureTestBrowser(name: BrowserName): Promise<TestBrowser> {
  await prepareTestBrowser(name);
  const folder = process.env[variable(name)] ?? '';
  const libraries = join(folder, 'usr/lib/x86_64-linux-gnu');
  return {
    executablePath: join(folder, PROGRAMS[name]),
    env: {
      ...definedOnly(process.env),
      // Its libraries need others of the same Debian, in part in a folder of their own.
      LD_LIBRARY_PATH: `${libraries}:${join(libraries, 'pulseaudio')}`,
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  };
}

/** Environment variable with the address of a Chromium that test files share: its start takes two seconds. */
const SHARED = 'VITRINE_TEST_CHROMIUM_ADDRESS';

/** A Chromium for test files that are started with the variables in `env`. */
export interface SharedChromium {
  server: BrowserServer;
  env: Record<string, string>;
}

/** Starts it. Close the server at the end. */
export async function shareChromium(): Promise<SharedChromium> {
  const server = await chromium.launchServer({ ...(await chromiumOptions()), host: '127.0.0.1' });
  return { server, env: { [SHARED]: server.wsEndpoint() } };
}

/** The shared Chromium, or one that is started. To close it closes its pages. */
export async function openChromium(): Promise<Browser> {
  const shared = process.env[SHARED];
  return shared === undefined
    ? await chromium.launch(await chromiumOptions())
    : await chromium.connect(shared);
}

/** Chromium has no sandbox for root, and cannot have one where user namespaces are restricted. */
async function chromiumOptions(): Promise<TestBrowser & { chromiumSandbox: false }> {
  return { ...(await ensureTestBrowser('chromium')), chromiumSandbox: false };
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
