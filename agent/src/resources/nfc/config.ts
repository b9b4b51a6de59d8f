/** Configuration group `nfc`. */
import { Origin, originRules } from '../config/field-types.ts';
import { live, section } from '../config/fields.ts';
import { configGroup } from '../config/group.ts';

export const nfcConfig = configGroup(
  'nfc',
  'NfcConfig',
  {
    enabled: live.bool(false),
    backend: live.choice('auto', ['auto', 'pn532-i2c', 'pn532-spi', 'acr122u']),
    origins: live.list(Origin, 64, { description: 'Pages that may use NFC' }),
    i2c: section('NfcI2cConfig', { bus: live.int(1, 0, 255), address: live.int(0x24, 0x03, 0x77) }),
    spi: section('NfcSpiConfig', { bus: live.int(0, 0, 255), cs: live.int(0, 0, 255) }),
    poll: section('NfcPollConfig', { interval_ms: live.int(250, 50, 60_000) }),
    feedback: section('NfcFeedbackConfig', {
      on_detect: live.bool(true, { description: 'Light and sound when a tag is seen' }),
    }),
  },
  { rules: ({ origins }) => originRules('/origins', origins) },
);
