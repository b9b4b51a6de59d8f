/** What `npm run mutate` changes, and the tests that must notice. Paths are relative to the project's folder. */
export interface Piece {
  /** Files whose code is changed. */
  files: readonly string[];
  tests: readonly string[];
}

const DISPLAY = 'agent/src/resources/display';
const SERIAL = 'agent/src/links/serial';
const CONFIG = 'agent/src/resources/config';
const PERIPHERALS = 'agent/src/resources/peripherals';

export const PIECES: Readonly<Record<string, Piece>> = {
  keeper: {
    files: ['keeper-machine', 'keeper-transition', 'keeper-state', 'timing', 'browser-loads', 'keeper'].map(
      (name) => `${DISPLAY}/${name}.ts`,
    ),
    tests: [
      'keeper-machine',
      'keeper-recovery',
      'keeper-errors',
      'keeper-alone',
      'keeper',
      'load-end',
      'navigation',
      'display',
      'keeper-model',
    ].map((name) => `${DISPLAY}/${name}.test.ts`),
  },
  uploads: {
    files: ['upload-machine', 'uploads'].map((name) => `${SERIAL}/${name}.ts`),
    tests: ['upload-chunks', 'uploads', 'upload-machine'].map((name) => `${SERIAL}/${name}.test.ts`),
  },
  config: {
    files: ['store', 'appliers'].map((name) => `${CONFIG}/${name}.ts`),
    tests: ['store', 'appliers', 'file'].map((name) => `${CONFIG}/${name}.test.ts`),
  },
  peripherals: {
    files: ['policy', 'hid-report-descriptor', 'hid-report-items', 'usb-descriptors'].map(
      (name) => `${PERIPHERALS}/${name}.ts`,
    ),
    tests: ['policy', 'policy-hid', 'policy-usb', 'hid-report-descriptor', 'usb-descriptors'].map(
      (name) => `${PERIPHERALS}/${name}.test.ts`,
    ),
  },
  session: { files: ['agent/src/events/session.ts'], tests: ['agent/src/events/session.test.ts'] },
  boot: {
    files: ['agent/src/resources/update/boot-confirmation.ts'],
    tests: ['agent/src/resources/update/boot-confirmation.test.ts'],
  },
};
