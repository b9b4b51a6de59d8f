// The functions that PAC scripts may call, as browsers offer them: those of the Netscape format and those that Microsoft
// added for IPv6. Evaluates to the function that run-pac.c calls. `native` has what JavaScript alone cannot do.
((native) => {
  const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
  const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
  // Type of an entry: schemes of GIO's proxies, in the order to try, and the default port.
  const TYPES = {
    PROXY: [['http'], 80],
    HTTP: [['http'], 80],
    HTTPS: [['https'], 443],
    SOCKS: [['socks5', 'socks4a'], 1080],
    SOCKS4: [['socks4a'], 1080],
    SOCKS5: [['socks5'], 1080],
  };
  const MAX_ENTRIES = 16;
  let alerts = 20;
  // Addresses by name, during one evaluation: a script asks for the same name again and again.
  let resolved = new Map();

  const resolve = (host) => {
    const name = String(host);
    let addresses = resolved.get(name);
    if (!addresses) {
      addresses = native.bytes(name) ? [name] : native.resolve(name).split(';').filter(Boolean);
      resolved.set(name, addresses);
    }
    return addresses;
  };
  const isIpv4 = (address) => native.bytes(address)?.length === 8;

  const dnsResolve = (host) => resolve(host).find(isIpv4) ?? null;
  const number = (address) => Number.parseInt(native.bytes(address), 16) | 0;

  // Bytes are hexadecimal text. Two digits of the prefix at a time would miss prefixes within a byte.
  const startsAlike = (one, other, bits) => {
    const binary = (hex) => [...hex].map((digit) => Number.parseInt(digit, 16).toString(2).padStart(4, '0')).join('');
    return one.length === other.length && binary(one).slice(0, bits) === binary(other).slice(0, bits);
  };

  // -1, 0 or 1. Where one list is shorter, the rest counts as equal: "to 17 h" ends at 17:59:59.
  const compare = (one, other) => {
    for (let i = 0; i < Math.min(one.length, other.length); i++) {
      if (one[i] !== other[i]) return one[i] < other[i] ? -1 : 1;
    }
    return 0;
  };
  // A range that ends before it begins goes over the end of the week, day or year.
  const isInRange = (now, from, to) => {
    const isAfter = compare(now, from) >= 0;
    const isBefore = compare(now, to) <= 0;
    return compare(from, to) <= 0 ? isAfter && isBefore : isAfter || isBefore;
  };
  // Arguments without a last 'GMT', and what reads the present time: local or, with 'GMT', of UTC.
  const timeArguments = (list) => {
    const isUtc = list.at(-1) === 'GMT';
    const now = new Date();
    return [isUtc ? list.slice(0, -1) : list, (unit) => now[`get${isUtc ? 'UTC' : ''}${unit}`]()];
  };
  const halves = (list) => [list.slice(0, list.length / 2), list.slice(list.length / 2)];

  // Year, month and day, as far as given, the largest first.
  const dateParts = (list) => {
    const parts = {};
    for (const part of list) {
      const month = MONTHS.indexOf(String(part).toUpperCase());
      if (month >= 0) parts.Month = month;
      else if (part > 31) parts.FullYear = Number(part);
      else parts.Date = Number(part);
    }
    return parts;
  };
  const DATE_UNITS = ['FullYear', 'Month', 'Date'];

  Object.assign(globalThis, {
    isPlainHostName: (host) => !/[.:]/.test(host),
    dnsDomainIs: (host, domain) => String(host).toLowerCase().endsWith(String(domain).toLowerCase()),
    localHostOrDomainIs: (host, name) => host === name || String(name).startsWith(`${host}.`),
    dnsDomainLevels: (host) => String(host).split('.').length - 1,
    isResolvable: (host) => dnsResolve(host) !== null,
    dnsResolve,
    myIpAddress: () => native.ownAddress(),
    convert_addr: number,
    isInNet: (host, pattern, mask) => {
      const address = dnsResolve(host);
      if (address === null || !isIpv4(pattern) || !isIpv4(mask)) return false;
      return (number(address) & number(mask)) === (number(pattern) & number(mask));
    },
    shExpMatch: (text, pattern) => {
      const source = String(pattern)
        .replace(/[\\^$.+(){}|]/g, '\\$&')
        .replace(/\*/g, '.*')
        .replace(/\?/g, '.')
        .replace(/\[!/g, '[^');
      return new RegExp(`^${source}$`).test(text);
    },
    weekdayRange: (...list) => {
      const [days, get] = timeArguments(list);
      const [from, to = from] = days.map((day) => DAYS.indexOf(String(day).toUpperCase()));
      return from >= 0 && to >= 0 && isInRange([get('Day')], [from], [to]);
    },
    dateRange: (...list) => {
      const [parts, get] = timeArguments(list);
      if (parts.length === 0) return false;
      const [from, to] = parts.length === 1 ? [parts, parts] : halves(parts);
      const [first, last] = [dateParts(from), dateParts(to)];
      const units = DATE_UNITS.filter((unit) => first[unit] !== undefined);
      const of = (date) => units.map((unit) => date[unit]);
      return isInRange(units.map(get), of(first), of(last));
    },
    timeRange: (...list) => {
      const [parts, get] = timeArguments(list);
      if (parts.length === 0) return false;
      const [from, to] = parts.length === 1 ? [parts, parts] : halves(parts);
      return isInRange(['Hours', 'Minutes', 'Seconds'].map(get), from.map(Number), to.map(Number));
    },
    alert: (text) => {
      if (alerts-- > 0) native.log(String(text).slice(0, 200));
    },
    isResolvableEx: (host) => resolve(host).length > 0,
    dnsResolveEx: (host) => resolve(host).join(';'),
    myIpAddressEx: () => native.ownAddresses(),
    isInNetEx: (address, prefix) => {
      const [network, bits] = String(prefix).split('/');
      const [one, other] = [native.bytes(String(address)), native.bytes(network)];
      return Boolean(one && other && /^\d+$/.test(bits)) && startsAlike(one, other, Number(bits));
    },
    // IPv6 first, each in ascending order.
    sortIpAddressList: (list) => {
      const addresses = String(list).split(';').map((address) => address.trim());
      if (!addresses.every((address) => native.bytes(address))) return '';
      const key = (address) => native.bytes(address).padStart(33, isIpv4(address) ? '1' : '0');
      return addresses.sort((one, other) => (key(one) < key(other) ? -1 : 1)).join(';');
    },
    getClientVersion: () => '1.0',
  });

  // An entry of the script's answer, as addresses of GIO's proxies; none if it is not understood.
  const proxiesOf = (entry) => {
    if (/^direct$/i.test(entry)) return ['direct://'];
    const [, type, host, port] = /^(\w+)\s+([\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i.exec(entry) ?? [];
    const [schemes, standard] = TYPES[type?.toUpperCase()] ?? [[]];
    return schemes.map((scheme) => `${scheme}://${host}:${port ?? standard}`);
  };

  // Addresses of proxies in the order to try, separated by spaces. Throws what the script throws.
  return (url, host) => {
    resolved = new Map();
    // By name: the script may have declared them with `const`.
    const find =
      typeof FindProxyForURLEx === 'function'
        ? FindProxyForURLEx
        : typeof FindProxyForURL === 'function' && FindProxyForURL;
    if (!find) throw new Error('there is no function FindProxyForURL');
    const answer = find(url, host);
    if (typeof answer !== 'string') throw new Error(`FindProxyForURL returned ${typeof answer}, not a string`);
    const entries = answer.split(';').map((entry) => entry.trim()).filter(Boolean);
    const proxies = entries.slice(0, MAX_ENTRIES).flatMap(proxiesOf);
    if (entries.length > 0 && proxies.length === 0) throw new Error(`FindProxyForURL returned ${answer.slice(0, 100)}`);
    return proxies.join(' ') || 'direct://';
  };
});
