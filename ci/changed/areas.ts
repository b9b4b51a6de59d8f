/**
 * Maps files to the scenarios that a change of them can affect. Needed for files in the image, which scenarios test
 * without importing them. The first matching area counts. A file that no area matches can affect everything.
 */

/** Every scenario. */
export const ALL = 'all';

/** Scenarios that test the basic functions, on a shared device. */
const SHARED = ['boot', 'screen', 'contract', 'links', 'live', 'recovery', 'security'];
const BUNDLES = ['content', 'content-origin', 'contract', 'links'];

interface Area {
  files: RegExp;
  scenarios: readonly string[] | typeof ALL;
}

export const AREAS: readonly Area[] = [
  { files: /\.test\.ts$|\/tests\//, scenarios: [] },
  {
    files:
      /^docs\/|^[^/]+\.md$|\/README\.md$|^(?:LICENSE|NOTICE)$|^\.github\/|^\.(?:editorconfig|gitignore)$/,
    scenarios: [],
  },
  { files: /^\.clang-format$|^biome\.json$|tsconfig\.json$|^\.ci\//, scenarios: [] },

  {
    files: /^browser\//,
    scenarios: [
      'boot',
      'browser',
      'console',
      'screen',
      'recovery',
      'content',
      'content-origin',
      'security',
      'limits',
      'settings',
      'media',
      'keyboard',
    ],
  },
  { files: /^native\/splash\//, scenarios: ['boot', 'splash', 'update'] },
  { files: /^native\/vitrine-throttled/, scenarios: [] },
  { files: /^native\/virtual-input/, scenarios: ['boot', 'remote-input'] },
  { files: /^native\//, scenarios: ['boot', 'splash', 'update', 'input', 'limits', 'media', 'settings'] },
  { files: /^agent\/page\//, scenarios: ['boot', 'screen', 'splash'] },
  { files: /^(?:agent\/)?ui\//, scenarios: ['boot', 'security'] },
  { files: /^agent\/src\/links\/https/, scenarios: ['https', 'contract', 'security'] },
  { files: /^agent\/src\/links\/serial\//, scenarios: ['links', 'contract', 'cable', 'live', 'cuts'] },
  { files: /^agent\/src\/resources\/content\/serving\//, scenarios: BUNDLES },
  { files: /^agent\/src\/resources\/content\//, scenarios: [...BUNDLES, 'cuts'] },
  { files: /^agent\/src\/uploads\//, scenarios: [...BUNDLES, 'splash', 'https', 'cuts'] },
  { files: /^agent\/src\/resources\/branding\//, scenarios: ['splash', 'contract', 'links', 'cuts'] },
  { files: /^agent\/src\/resources\/certificates\//, scenarios: ['https', 'contract', 'cuts'] },
  { files: /^agent\/src\/resources\/update\/fleet\//, scenarios: [...SHARED, 'fleet'] },
  { files: /^agent\/src\/resources\/update\//, scenarios: [...SHARED, 'update', 'fleet', 'cuts'] },
  {
    files: /^agent\/src\/resources\/display\//,
    scenarios: [
      ...SHARED,
      'content',
      'content-origin',
      'splash',
      'settings',
      'cec',
      'limits',
      'outputs',
      'keyboard',
      'input',
    ],
  },
  { files: /^agent\/src\/resources\/page\//, scenarios: [...SHARED, 'page', 'console'] },
  { files: /^agent\/src\/resources\/document\//, scenarios: ['contract'] },
  { files: /^agent\/src\/resources\/(?:config|device)\//, scenarios: [...SHARED, 'reboot', 'power', 'cuts'] },
  { files: /^agent\/src\/resources\/input\//, scenarios: [...SHARED, 'input', 'remote-input'] },
  { files: /^agent\/src\/resources\/bluetooth\//, scenarios: [...SHARED, 'bluetooth'] },
  { files: /^agent\/src\/resources\/nfc\//, scenarios: [...SHARED, 'nfc'] },
  { files: /^agent\/(?:src\/(?:nfc-reader|system\/nfc)|native-modules)\//, scenarios: ['boot', 'nfc'] },
  { files: /^agent\/src\/resources\/peripherals\//, scenarios: [...SHARED, 'peripherals'] },
  {
    files: /^agent\/(?:src\/(?:peripheral-io|system\/peripherals)|page\/peripherals)\//,
    scenarios: ['boot', 'peripherals'],
  },
  { files: /^agent\/src\/resources\/[^/]+\//, scenarios: SHARED },
  { files: /^agent\//, scenarios: ALL },

  { files: /^board\/(?:common\/(?:uboot|boot\.cmd)|virt-aarch64\/)/, scenarios: ['uboot', 'update'] },
  { files: /^board\/(?:rpi|common\/(?:raspberrypi|aarch64|busybox))|^board\/common\/linux\//, scenarios: [] },
  { files: /^board\/common\/check-/, scenarios: ['boot'] },
  { files: /^(?:board|overlay)\//, scenarios: ALL },
  { files: /^ci\/image\//, scenarios: ALL },
  { files: /^ci\/(?:start|stop|dev-push)\.ts$|^ci\/run\.mjs$/, scenarios: ['start', 'start-container'] },
  {
    files: /^ci\/container\/(?:container\.sh|credentials\/)/,
    scenarios: ['start-container', 'contract', 'links', 'screen', 'settings'],
  },
  { files: /^ci\/(?:bench|boards|buildroot|changed)\b/, scenarios: [] },
  { files: /^buildroot-external\//, scenarios: [] },
  { files: /^tests-qemu\/media\//, scenarios: ['media'] },
  { files: /^tests-qemu\/run\.ts$/, scenarios: ['boot'] },
  // Scenarios import or name these files, so the graph finds them.
  { files: /^(?:ci|client|testing|tests-qemu)\//, scenarios: [] },
];

/** The scenarios of the area that contains a file; undefined when there is none. */
export function scenariosOfArea(path: string): readonly string[] | typeof ALL | undefined {
  return AREAS.find(({ files }) => files.test(path))?.scenarios;
}
