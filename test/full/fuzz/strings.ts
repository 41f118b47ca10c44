/**
 * Texts that break programs: each may be misunderstood by some layer between the network and the database. None of them is an address
 * outside this machine, because a text may end up where an address is called.
 */
import { MORE } from './strings-more.ts';

const toText = (...points: number[]): string => String.fromCodePoint(...points);
const listCodeRange = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => toText(from + index));

/** Every control character inside a word; PostgreSQL cannot store NUL. */
const CONTROLS = [...listCodeRange(0x00, 0x1f), ...listCodeRange(0x7f, 0x8f)].map((control) => `a${control}b`);

/** Texts with characters that nobody sees or that change how the rest looks. */
const INVISIBLE = [
  // Soft hyphen, joiners, direction marks, word joiner, line and paragraph separators, fillers, the byte order mark.
  [0xad, 0x34f, 0x61c, 0x115f, 0x17b4, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b],
  [0x202c, 0x202d, 0x202e, 0x2060, 0x2061, 0x2064, 0x2066, 0x2067, 0x2068, 0x2069, 0x206a, 0x3164, 0xfe00, 0xfe0f],
  [0xfeff, 0xffa0, 0xfff9, 0xfffa, 0xfffb, 0xfffc, 0xfffd, 0xfffe, 0xffff, 0x1d173, 0xe0001, 0xe007f],
]
  .flat()
  .flatMap((point) => [toText(point), `pay${toText(point)}pal`]);

const BLANKS = [0x20, 0xa0, 0x1680, 0x2000, 0x2003, 0x200a, 0x202f, 0x205f, 0x3000].map((point) =>
  toText(point).repeat(3),
);

const UNICODE = [
  // The same word composed and decomposed; case mappings that change the length; letters that look like others.
  'S\u00e3o Jos\u00e9',
  'Sa\u0303o Jose\u0301',
  'stra\u00dfe STRASSE \u1e9e',
  '\u0130stanbul \u0131',
  '\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2',
  '\u0430dmin',
  '\u0440\u0430\u0443\u0440\u0430l',
  '\uff21\uff24\uff2d\uff29\uff2e',
  '\ufb01le \ufb03x',
  '\u212a \u2126 \u212b',
  '\u01c5 \u01f0 \u0149',
  `Z${'\u0300\u0301\u0302\u0323\u0334\u0489'.repeat(40)}`,
  '\u0e01\u0e33\u0e33\u0e33',
  '\u0928\u093f \u0915\u094d\u0937',
  '\u1112\u1161\u11ab\u1100\u1173\u11af',
  // Right-to-left text, alone, mixed, and reversed.
  '\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645',
  '\u05e9\u05dc\u05d5\u05dd 123 abc',
  'abc\u202egnp.exe',
  '\u2067\u05d0\u2066b\u2069\u2069',
  '\ufdfd',
  // Emoji of several code points; characters beyond the first plane; the last code points.
  '\u{1f600}',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}',
  '\u{1f44d}\u{1f3ff}',
  '\u{1f1e7}\u{1f1f7}\u{1f1e7}',
  '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  '\u2764\ufe0f\u200d\u{1f525}',
  '1\ufe0f\u20e3',
  '\u{20bb7}\u91ce\u5bb6',
  '\u{1d54b}\u{1d556}\u{1d564}\u{1d565}',
  '\u{10ffff}',
  '\u{e000}\u{f0000}',
  // Halves of a surrogate pair, which UTF-8 cannot encode.
  '\ud800',
  '\udfff',
  'a\udc00b',
  '\udc00\ud800',
  '\ud83d\ud83d\ude00',
];

const MARKUP = [
  '<b onmouseover=alert(1)>x</b>',
  '<script>top.leak=1</script>',
  '"><svg/onload=confirm(7)>',
  "'-alert`1`-'",
  '</textarea><img src=x onerror=self.x=1>',
  '<!--<x>--><![CDATA[ y ]]>',
  '&lt;i&gt;&#x3c;i&#62;&amp;amp;',
  '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaa">]><r>&a;</r>',
  'javascript:void(document.title)',
  'data:text/html;base64,PGI+',
  '[link](javascript:1) ![](x)',
  '{{7*7}}',
  '${7*7}',
  '#{7*7}',
  '<%= 7*7 %>',
  '{% for x in y %}{{x}}{% endfor %}',
  '*{T(java.lang.Math).abs(-1)}',
  '@(1+1)',
  '%{#a=1}',
  '$(id)',
  '`id`',
  '; ls -la /',
  '| cat',
  '&& exit 1',
  '\\x41\\u0041\\101',
  '=1+1',
  '+SUM(A1)',
  '@SUM(A1)',
  '-2+3|x',
  '\t=HYPERLINK("x")',
];

const SQL = [
  "'",
  "''",
  '"',
  "\\'",
  "O'Brien",
  "x'; drop table messages; --",
  "' or '1'='1",
  "') or true --",
  '1; select pg_sleep(9)',
  "'||pg_sleep(9)||'",
  "\\'; begin; --",
  '$$quoted$$',
  '$1',
  '$1::text',
  ':name ?',
  "E'\\\\x00'",
  "U&'\\0000'",
  '/* open',
  '--',
  '%_%',
  '\\%\\_\\',
  '{"$gt": ""}',
  '{$where: 1}',
  '{}',
  '{1,2}',
  '(1,2)',
  '\\N',
  'NULL',
];

const FORMATS = [
  '%s%s%s%n',
  '%x %p %d',
  '%c%99999999d',
  '%%',
  '%00',
  '%0d%0aSet-Cookie: a=b',
  '%u0000',
  '%ff%fe',
  '%zz',
  '{0} {name} {}',
  '\r\nX-Injected: 1',
  'a\nb',
  'a\rb',
  '\n\n\n',
  '\t',
  'line\u2028break',
  '\u001b[31mred\u001b[0m',
  '\u001b]0;title\u0007',
  '\u0008\u0008\u0008',
];

const PATHS = [
  '.',
  '..',
  '/',
  '//',
  '\\',
  '../../../../etc/hostname',
  '..\\..\\windows\\win.ini',
  '....//....//x',
  '%2e%2e%2f%2e%2e%2f',
  '..%c0%af..%c0%af',
  '/dev/null',
  '/proc/self/environ',
  'C:\\con\\aux',
  'CON',
  'file:///etc/hostname',
  'a/b?c=d#e;f',
  '~root',
  '?',
  '#',
  ';jsessionid=1',
  '*',
  'a%20b+c',
  'index.html\u0000.png',
];

/** Splits a list of texts that contain no blanks. */
const splitAtBlanks = (text: string): string[] => text.trim().split(/\s+/);

const NUMBERS = [
  ...splitAtBlanks(
    '0 -0 00 +1 1. .1 1e3 1E400 -1e-400 0x10 0b1 0o7 1_000 1,000.00 1.000,00 0.1e1 NaN Infinity -Infinity',
  ),
  ...splitAtBlanks('2147483647 2147483648 -2147483649 4294967296 9007199254740993 9223372036854775808 1e1000000000'),
  ...splitAtBlanks(
    '99999999999999999999999999999999 \u0661\u0662\u0663 \uff11\uff12\uff13 \u00bd \u00b2 \u2167 \u0967 \u{1d7d9} \u22125',
  ),
  '1\u00a0000',
  '1'.repeat(400),
];

/** Names of properties that every JavaScript object inherits, and other spellings of `__proto__`. */
export const INHERITED: readonly string[] = [
  ...Object.getOwnPropertyNames(Object.prototype),
  'prototype',
  'Constructor',
  'CONSTRUCTOR',
];

const WORDS = [
  '',
  ' ',
  '[object Object]',
  '"a b"@c',
  '(11) 9999-9999',
  'Bearer x',
  ...INHERITED,
  ...splitAtBlanks('null undefined true false None nil yes on default this'),
  ...splitAtBlanks('then length __proto__[admin] constructor.prototype.x [] [0] a[b] a.b $ref'),
  ...splitAtBlanks(
    '#/definitions/a _id ObjectId() 1970-01-01T00:00:00Z 2026-02-30 0000-00-00 9999-12-31T23:59:60Z -infinity now',
  ),
  ...splitAtBlanks(
    '+275760-09-13T00:00:00Z a@b a@[127.0.0.1] +5511999999999 ++ + 00000000000 555555555555555555555555555555555',
  ),
  ...splitAtBlanks(
    '000000000000000000000000 ffffffffffffffffffffffff FFFFFFFFFFFFFFFFFFFFFFFF 12345678901234567890123',
  ),
  ...splitAtBlanks('00000000-0000-0000-0000-000000000000 \u2022\u2022\u2022\u20221234 **** eyJhbGciOiJub25lIn0.e30.'),
  ...splitAtBlanks(String.raw`(a+)+$ ^(([a-z])+.)+[A-Z]([a-z])+$ \b [ (?<n> .* a{1,99999} ::1 127.1 0x7f.1 2130706433`),
  // Texts that are not valid addresses, and addresses on this machine. There are no host names, because the platform would look them up.
  ...splitAtBlanks(
    'http: http:// http://[ http://[::1 http://127.0.0.1:99999 http://u:p@127.0.0.1/ http:127.0.0.1 //127.0.0.1',
  ),
  ...splitAtBlanks('gopher://127.0.0.1/ http://127.0.0.1:1/\\'),
  'HTTP://127.0.0.1:1#\u0000',
  'http://127.0.0.1:1/\r\nX: 1',
];

const LONG = [
  'a'.repeat(200),
  'a'.repeat(201),
  'a'.repeat(2_049),
  'a'.repeat(4_096),
  'a'.repeat(4_097),
  '\u00e9'.repeat(4_096),
  '\u{1f600}'.repeat(4_096),
  '\u{1f600}'.repeat(4_097),
  ' '.repeat(5_000),
  'ab '.repeat(9_000),
  `${'a'.repeat(60_000)}!`,
];

export const NAUGHTY: readonly string[] = [
  ...new Set([
    ...CONTROLS,
    ...INVISIBLE,
    ...BLANKS,
    ...UNICODE,
    ...MARKUP,
    ...SQL,
    ...FORMATS,
    ...PATHS,
    ...NUMBERS,
    ...WORDS,
    ...LONG,
    ...MORE,
  ]),
];
