/** The part `hawkbit` of the configuration group `update`. */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { matching } from '../../../contract/shared.ts';
import { WebUrl } from '../../config/field-types.ts';
import { live, section } from '../../config/fields.ts';
import type { BrokenRule } from '../../config/group.ts';

/** A name in the server's paths. It must not be `.` or `..`. */
const PATH_NAME = matching(
  '^[A-Za-z0-9_-][A-Za-z0-9._:-]{0,127}$',
  'must have 1 to 128 of A-Z, a-z, 0-9 and . _ : -, and not begin with . or :',
);

/** Printable ASCII without spaces: it is sent in a header. */
const Token = Type.String(
  matching('^[!-~]{1,256}$', 'must have 1 to 256 printable ASCII characters without spaces'),
);

/** The fields `update.hawkbit`. */
export const fleetSection = section('HawkbitConfig', {
  url: live.maybe(WebUrl, {
    description:
      'Address of the hawkBit DDI server, without tenant; null: no updates from a server. With `http:` everything, the token included, is sent in clear',
  }),
  tenant: live.text('DEFAULT', PATH_NAME),
  controller_id: live.maybe(Type.String(PATH_NAME), {
    description: 'Name of this device on the server; null: its serial',
  }),
  target_token: live.maybe(Token, { description: 'Token of this device' }),
  gateway_token: live.maybe(Token, { description: 'Token of all devices of the tenant' }),
});

export type FleetConfig = Static<typeof fleetSection>;

/** The rules that `update.hawkbit` breaks. @param at JSON pointer of the section in its group */
export function fleetRules({ url, target_token, gateway_token }: FleetConfig, at: string): BrokenRule[] {
  const broken: BrokenRule[] = [];
  if (url !== null && !isServerUrl(url)) {
    broken.push({ path: `${at}/url`, message: 'must be a URL without user name, query and fragment' });
  }
  if (target_token !== null && gateway_token !== null) {
    broken.push({ path: `${at}/gateway_token`, message: 'must be null while there is a target_token' });
  }
  return broken;
}

function isServerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return username === '' && password === '' && search === '' && hash === '';
}
