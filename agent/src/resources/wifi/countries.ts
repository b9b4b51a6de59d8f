/** ISO 3166-1 alpha-2, as the wireless regulatory database names countries. */
const CODES =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
  'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR ' +
  'GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO ' +
  'JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR ' +
  'MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO ' +
  'RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV ' +
  'TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW';

export const COUNTRIES: ReadonlySet<string> = new Set(CODES.split(' '));

/** Where the 2.4 GHz band ends at channel 11. */
const ELEVEN_CHANNELS: ReadonlySet<string> = new Set('AS CA GU MP PR TW US VI'.split(' '));
/** Where the upper 5 GHz channels are closed to access points. */
const LOWER_5GHZ_ONLY: ReadonlySet<string> = new Set(['JP']);

/** Channels that an access point may use without watching for radar. */
const LOWER_5GHZ = [36, 40, 44, 48];
const UPPER_5GHZ = [149, 153, 157, 161, 165];

/**
 * Channels that `wifi.ap.channel` may name. The radio's own regulatory table has the last word when the access
 * point starts; this refuses what cannot be right.
 */
export function accessPointChannels(band: '2.4' | '5', country: string | null): number[] {
  if (band === '2.4') {
    const last = country !== null && ELEVEN_CHANNELS.has(country) ? 11 : 13;
    return Array.from({ length: last }, (_, index) => index + 1);
  }
  return country !== null && LOWER_5GHZ_ONLY.has(country) ? LOWER_5GHZ : [...LOWER_5GHZ, ...UPPER_5GHZ];
}

/** Distance in MHz within which networks of the 2.4 GHz band disturb each other: channels are 5 MHz apart, 20 MHz wide. */
const OVERLAP_MHZ = 20;
/** In the 2.4 GHz band, channels that do not overlap. */
const SEPARATE_24GHZ = [1, 6, 11];
/** Signals below do not disturb, in dBm. */
const NOISE_DBM = -95;

/** The frequency of a channel's centre, in MHz (IEEE 802.11, 17.3.8.4). */
export function channelFrequency(band: '2.4' | '5', channel: number): number {
  return (band === '5' ? 5000 : 2407) + 5 * channel;
}

/** The channel of a frequency in MHz. */
export function frequencyChannel(mhz: number): number {
  if (mhz === 2484) return 14;
  return mhz < 5000 ? (mhz - 2407) / 5 : (mhz - 5000) / 5;
}

/** The channel that suffers least from other networks; the lowest one of equals. */
export function leastBusyChannel(
  band: '2.4' | '5',
  country: string | null,
  seen: readonly { frequencyMhz: number; signalDbm: number }[],
): number {
  const candidates = band === '5' ? accessPointChannels(band, country) : SEPARATE_24GHZ;
  const loads = candidates.map((channel) => {
    const centre = channelFrequency(band, channel);
    const near = seen.filter(({ frequencyMhz }) => Math.abs(frequencyMhz - centre) < OVERLAP_MHZ);
    const load = near.reduce((sum, { signalDbm }) => sum + Math.max(0, signalDbm - NOISE_DBM), 0);
    return { channel, load };
  });
  return loads.reduce((best, next) => (next.load < best.load ? next : best)).channel;
}
