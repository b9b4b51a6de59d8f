/** The functions of PAC scripts (pac.js), with the network and the clock replaced. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { isIPv4, isIPv6 } from 'node:net';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';

const SOURCE = readFileSync(new URL('pac.js', import.meta.url), 'utf8');
const NAMES: Readonly<Record<string, string>> = {
  'www.example': '2001:db8::7;192.0.2.7',
  'intranet.corp': '10.1.2.3',
  'six.example': '2001:db8::6',
};

/** An address as hexadecimal text, as run-pac.c gives it; null for other texts. */
function bytes(text: string): string | null {
  const hex = (part: string, radix: number, length: number) =>
    Number.parseInt(part, radix).toString(16).padStart(length, '0');
  if (isIPv4(text))
    return text
      .split('.')
      .map((part) => hex(part, 10, 2))
      .join('');
  if (!isIPv6(text)) return null;
  const [head = [], tail = []] = text.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].map((part) => hex(part, 16, 4)).join('');
}

/** @param now local time of the script, which runs in UTC. @returns evaluates a script's expression, or asks it for a page */
function pac(script: string, now = '2026-03-04T17:30:15') {
  const asked: string[] = [];
  const context = createContext({
    native: {
      bytes,
      resolve: (name: string) => {
        asked.push(name);
        return NAMES[name] ?? '';
      },
      ownAddress: () => '192.0.2.1',
      ownAddresses: () => '192.0.2.1;2001:db8::1',
      log: () => undefined,
    },
  });
  runInContext(
    `{ const Real = Date; Date = class extends Real { constructor() { super('${now}Z'); }
      getHours() { return this.getUTCHours(); } getMinutes() { return this.getUTCMinutes(); }
      getSeconds() { return this.getUTCSeconds(); } getDay() { return this.getUTCDay(); }
      getDate() { return this.getUTCDate(); } getMonth() { return this.getUTCMonth(); }
      getFullYear() { return this.getUTCFullYear(); } } }`,
    context,
  );
  const find: unknown = runInContext(`(${SOURCE.trimEnd().replace(/;$/, '')})(native)`, context);
  assert.ok(typeof find === 'function');
  runInContext(script, context);
  const evaluate = (text: string): unknown => runInContext(text, context);
  return { asked, evaluate, find: (url: string): unknown => find(url, new URL(url).hostname) };
}

test('the functions of PAC scripts answer as in browsers', () => {
  const { evaluate } = pac('');
  const answers: readonly (readonly [string, unknown])[] = [
    ["isPlainHostName('www')", true],
    ["isPlainHostName('www.example')", false],
    ["dnsDomainIs('www.example', '.example')", true],
    ["dnsDomainIs('www', '.example')", false],
    ["localHostOrDomainIs('www', 'www.example')", true],
    ["localHostOrDomainIs('www.example', 'www.example')", true],
    ["localHostOrDomainIs('www.other', 'www.example')", false],
    ["dnsDomainLevels('a.b.c')", 2],
    ["dnsResolve('www.example')", '192.0.2.7'],
    ["dnsResolve('nowhere.example')", null],
    ["isResolvable('six.example')", false],
    ["isResolvableEx('six.example')", true],
    ["dnsResolveEx('www.example')", '2001:db8::7;192.0.2.7'],
    ["isInNet('intranet.corp', '10.0.0.0', '255.0.0.0')", true],
    ["isInNet('10.1.2.3', '10.1.2.0', '255.255.255.0')", true],
    ["isInNet('11.1.2.3', '10.0.0.0', '255.0.0.0')", false],
    ["isInNet('nowhere.example', '0.0.0.0', '0.0.0.0')", false],
    ["isInNetEx('2001:db8:1::5', '2001:db8::/31')", true],
    ["isInNetEx('2001:dba::5', '2001:db8::/31')", false],
    ["isInNetEx('198.95.249.79', '198.95.0.0/16')", true],
    ["isInNetEx('198.95.249.79', '2001:db8::/31')", false],
    ["convert_addr('104.16.41.2')", 1745889538],
    ['myIpAddress()', '192.0.2.1'],
    ['myIpAddressEx()', '192.0.2.1;2001:db8::1'],
    ["sortIpAddressList('10.2.3.9;2001:4898:28:3::1;::1;9.9.9.9')", '::1;2001:4898:28:3::1;9.9.9.9;10.2.3.9'],
    ["sortIpAddressList('10.2.3.9;x')", ''],
    ["shExpMatch('http://a.example/b/x.html', '*/b/*.html')", true],
    ["shExpMatch('http://a.example/b+c', '*/b+c')", true],
    ["shExpMatch('axexample', 'a.example')", false],
    ["shExpMatch('ab', 'a?')", true],
    ["shExpMatch('a1', 'a[0-9]')", true],
    ["shExpMatch('ax', 'a[!0-9]')", true],
  ];
  for (const [text, expected] of answers) assert.equal(evaluate(text), expected, text);
});

test('ranges of time include both ends and go over the end of the day, week and year', () => {
  // A Wednesday.
  const { evaluate } = pac('', '2026-03-04T17:30:15');
  const inside = [
    "weekdayRange('WED')",
    "weekdayRange('MON', 'FRI')",
    "weekdayRange('SAT', 'WED', 'GMT')",
    'dateRange(4)',
    'dateRange(1, 15)',
    "dateRange('MAR')",
    "dateRange('NOV', 'MAR')",
    'dateRange(2026)',
    'dateRange(2025, 2026)',
    "dateRange(1, 'MAR', 4, 'MAR')",
    "dateRange(24, 'DEC', 4, 'MAR')",
    "dateRange('OCT', 2025, 'MAR', 2026)",
    "dateRange(5, 'MAR', 2025, 4, 'MAR', 2026, 'GMT')",
    'timeRange(17)',
    'timeRange(9, 17)',
    'timeRange(22, 17)',
    'timeRange(8, 30, 17, 30)',
    'timeRange(17, 30, 15, 17, 30, 15)',
    "timeRange(0, 0, 0, 23, 59, 59, 'GMT')",
  ];
  const outside = [
    "weekdayRange('THU', 'SUN')",
    "weekdayRange('XYZ')",
    'dateRange(5)',
    "dateRange('APR', 'FEB')",
    "dateRange(5, 'MAR', 3, 'MAR')",
    'dateRange(2027, 2030)',
    'dateRange()',
    'timeRange(18, 16)',
    'timeRange(8, 30, 17, 29)',
    'timeRange()',
  ];
  for (const text of inside) assert.equal(evaluate(text), true, text);
  for (const text of outside) assert.equal(evaluate(text), false, text);
});

test('an answer becomes addresses of proxies, and what is no answer throws', () => {
  const answers: readonly (readonly [string, string])[] = [
    ["'DIRECT'", 'direct://'],
    ["''", 'direct://'],
    ["'PROXY a.example:8080; DIRECT'", 'http://a.example:8080 direct://'],
    ["'proxy a.example;HTTPS [2001:db8::1]:443'", 'http://a.example:80 https://[2001:db8::1]:443'],
    ["'SOCKS a:1080'", 'socks5://a:1080 socks4a://a:1080'],
    ["'SOCKS5 a; QUIC b:1; SOCKS4 c:2'", 'socks5://a:1080 socks4a://c:2'],
    ["'PROXY a:1;'.repeat(100)", Array(16).fill('http://a:1').join(' ')],
  ];
  for (const [expression, expected] of answers) {
    assert.equal(pac(`const FindProxyForURL = () => ${expression};`).find('http://x.example/'), expected);
  }
  const broken = ['null', '5', "'nonsense'", "'PROXY a b'", "'PROXY a:1\\nPROXY b:2'", '{}.x.y'];
  for (const expression of broken) {
    assert.throws(
      () => pac(`function FindProxyForURL() { return ${expression}; }`).find('http://x.example/'),
      expression,
    );
  }
  assert.throws(() => pac('var x = 1').find('http://x.example/'), /no function FindProxyForURL/);
});

test('a script may be modern, declare the same names, and asks for each name once', () => {
  const { find, asked } = pac(`
    const isInNet = (host) => dnsResolve(host)?.startsWith('10.') ?? false;
    function FindProxyForURLEx(url, host) {
      let direct = ['.corp', '.lan'];
      if (direct.some((end) => host.endsWith(end)) && isInNet(host) && isInNet(host)) return 'DIRECT';
      return \`PROXY \${url.includes('secret') ? 'a' : 'b'}.example:1\`;
    }`);
  assert.deepEqual(
    [find('http://intranet.corp/'), find('http://www.example/'), asked],
    ['direct://', 'http://b.example:1', ['intranet.corp']],
  );
});
