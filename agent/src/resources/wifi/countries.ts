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

const countries = (codes: string): ReadonlySet<string> => new Set(codes.split(' '));
// From the wireless regulatory database (wireless-regdb 2026.09.03): channels of 20 MHz without DFS and NO-IR.
/** Where the 2.4 GHz band ends at channel 11. */
const ELEVEN_CHANNELS = countries('AS BM DM DO FM GD GU HT MH MP NI PR PW US VI');
/** Where the upper 5 GHz channels are closed to access points. */
const LOWER_5GHZ_ONLY = countries(
  'AF AI AW AZ BL BT BW BY DZ EG ET FO GE GF GI GL GP IM IR JP KE KH KW LK LS MA MF MQ MR MW NA OM PF PM QA RE RS SA SM ' +
    'SR SX SY TD TN TR TZ UZ VA VC WF WS YT ZW',
);
/** Where the lower ones are. */
const UPPER_5GHZ_ONLY = countries('BD BO BZ CU EC NG PK');
/** Where the upper ones end at channel 161. */
const WITHOUT_165 = countries('ID KN KP LC');

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
  const is = (set: ReadonlySet<string>) => country !== null && set.has(country);
  const upper = is(WITHOUT_165) ? UPPER_5GHZ.slice(0, -1) : UPPER_5GHZ;
  return [...(is(UPPER_5GHZ_ONLY) ? [] : LOWER_5GHZ), ...(is(LOWER_5GHZ_ONLY) ? [] : upper)];
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
