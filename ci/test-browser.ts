/**
 * The browser in the tests of the web app: Chromium of the image's Debian suite, unpacked in the cache. It is the same on
 * every computer, and not every distribution has it as a package.
 */
import { join } from 'node:path';
import { buildTestBrowser } from './image/build.ts';

/** Environment variable with the folder, for test files, of which several run at a time. */
const FOLDER = 'VITRINE_TEST_BROWSER';

export interface TestBrowser {
  /** The program, which shows no window. */
  executablePath: string;
  env: Record<string, string>;
}

/** Downloads and unpacks the browser if necessary, so that the test files started by this process find it. */
export async function prepareTestBrowser(): Promise<void> {
  process.env[FOLDER] ??= await buildTestBrowser();
}

/** How the browser is started. It is downloaded and unpacked first if necessary. */
export async function ensureTestBrowser(): Promise<TestBrowser> {
  await prepareTestBrowser();
  const folder = process.env[FOLDER] ?? '';
  const libraries = join(folder, 'usr/lib/x86_64-linux-gnu');
  return {
    executablePath: join(folder, 'usr/lib/chromium/chromium-headless-shell'),
    env: {
      ...definedOnly(process.env),
      // Its libraries need others of the same Debian, in part in a folder of their own.
      LD_LIBRARY_PATH: `${libraries}:${join(libraries, 'pulseaudio')}`,
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  };
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
