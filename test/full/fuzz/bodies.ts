/** Request bodies that no honest client sends as application/json. No operation may accept any of them. */
import { FIT, HALVES, NO_JSON, NO_TEXT } from './grammar.ts';

export interface HostileBody {
  name: string;
  raw: Buffer;
  /** The code that the answer must have; null where several are right. */
  code: 'MALFORMED_BODY' | 'VALIDATION_FAILED' | null;
}

type NamedBody = readonly [name: string, raw: string | Buffer];

const bytes = (...values: number[]): Buffer => Buffer.from(values);
const concatAround = (before: string, middle: Buffer, after: string): Buffer =>
  Buffer.concat([Buffer.from(before), middle, Buffer.from(after)]);
const nestBrackets = (open: string, close: string, depth: number, inside = ''): string =>
  open.repeat(depth) + inside + close.repeat(depth);
const encodeUtf16 = (text: string, swap: boolean): Buffer => {
  const raw = Buffer.from(text, 'utf16le');
  return swap ? raw.swap16() : raw;
};

const nameGrammarCase = (raw: string): NamedBody => [`grammar ${JSON.stringify(raw)}`, raw];

const WHOLE = '{"conversationId":"x","message":{"content":"a"}}';

/** Beginnings of a body that are not valid bodies themselves. */
const TRUNCATED: NamedBody[] = [1, 2, 5, 16, 17, 18, 21, 30, 31, 41, 43, 46, 47].map((length) => [
  `cut after ${length} characters`,
  WHOLE.slice(0, length),
]);

/** Texts that are almost JSON. */
const NEARLY = String.raw`
{ } [ ] ]{ {] [} {{}} [[] {}{} {}, ,{} {}x []] """" " \ : , {"a"} {"a":} {"a":1,} {,"a":1} {"a":1"b":2} {"a"1} {"a":1;"b":2}
{a:1} {'a':1} {1:1} [1,] [,1] [1,,2] [1;2] {"a":[1,} {"a":1] {:1} {null:1} {"a"::1} {"a":1,,"b":2} NaN {"a":NaN} {"a":Infinity}
{"a":-Infinity} {"a":undefined} {"a":None} {"a":True} {"a":nul} {"a":01} {"a":-} {"a":+1} {"a":.5} {"a":1.} {"a":1e} {"a":1e+}
{"a":0x1F} {"a":1_000} {"a":--1} {"a":"\x41"} {"a":"\u12"} {"a":"\u{41}"} {"a":"\"} {"a":"\8"} {/**/} {"a":1}//end #{} --{}
callback({}) while(1);{} <a/> a=1&b=2 a:1 !! {"a":1n} {"a":/x/} ${'`{}`'}
`
  .trim()
  .split(/\s+/);

// Texts with blanks inside, which cannot be part of the list above, because it is split at blanks.
const BLANKS = ['{"a":1 "b":2}', '[1 2]', '// note\n{}', '{"a":"\n"}', '{"a":"\t"}', '{"a":"\u0001"}', '{"a":1}\u0000'];
const ODD_BLANKS = ['\u0000{}', '{\u00a0"a":1}', '\u2028{}', ")]}',\n{}", '---\na: 1', '{}\n{}'];

const GRAMMAR = [...new Set([...NEARLY, ...BLANKS, ...ODD_BLANKS, ...NO_JSON])].map(nameGrammarCase);

const ENCODINGS: NamedBody[] = [
  ['byte order mark before a body', concatAround('', bytes(0xef, 0xbb, 0xbf), WHOLE)],
  ['byte order mark alone', bytes(0xef, 0xbb, 0xbf)],
  ['UTF-16, little end first', encodeUtf16(WHOLE, false)],
  ['UTF-16, big end first', encodeUtf16(WHOLE, true)],
  ['UTF-16 with its mark', Buffer.concat([bytes(0xff, 0xfe), encodeUtf16(WHOLE, false)])],
  ['UTF-32', bytes(0x7b, 0, 0, 0, 0x7d, 0, 0, 0)],
  ['Latin-1', Buffer.from('{"a":"Jos\u00e9"}', 'latin1')],
  ['an overlong NUL', concatAround('{"a":"', bytes(0xc0, 0x80), '"}')],
  ['an overlong slash', concatAround('{"a":"', bytes(0xe0, 0x80, 0xaf), '"}')],
  ['half a character', concatAround('{"a":"', bytes(0xe2, 0x82), '"}')],
  ['a continuation alone', concatAround('{"a":"', bytes(0x80), '"}')],
  ['a surrogate in UTF-8', concatAround('{"a":"', bytes(0xed, 0xa0, 0x80), '"}')],
  ['a pair of surrogates in UTF-8', concatAround('{"a":"', bytes(0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80), '"}')],
  ['beyond the last code point', concatAround('{"a":"', bytes(0xf4, 0x90, 0x80, 0x80), '"}')],
  ['bytes that UTF-8 never has', concatAround('{"', bytes(0xfe, 0xff), '":1}')],
  ['compressed without saying so', bytes(0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 3, 0xab, 0xae, 5, 0)],
  ['zeros', Buffer.alloc(64)],
  ['every byte', Buffer.from(Array.from({ length: 256 }, (_, index) => index))],
];

/** Valid JSON with values that no operation may store: NUL, halves of surrogate pairs, inherited property names and the like. */
const REFUSED_VALUES: NamedBody[] = [
  ['NUL in a text', String.raw`{"name":"a\u0000b"}`],
  ['NUL in a key', String.raw`{"a\u0000b":1}`],
  ['the first half of a pair', String.raw`{"name":"\ud800"}`],
  ['the second half of a pair', String.raw`{"name":"\udc00x"}`],
  ['a pair the wrong way round', String.raw`{"name":"\udc00\ud800"}`],
  ['half a pair in a key', String.raw`{"\udbff":1}`],
  ['__proto__ with an object', '{"__proto__":{"polluted":true}}'],
  ['__proto__ with null', '{"__proto__":null}'],
  ['__proto__ further in', '{"message":{"__proto__":{"content":"a"}}}'],
  ['__proto__ escaped', String.raw`{"\u005f_proto__":{"polluted":true}}`],
  ['__proto__ in a list', '[{"__proto__":[]}]'],
  ['ten thousand empty objects', `[${'{},'.repeat(10_000)}{}]`],
  ['300,000 numbers', `{"surprise":[${'1,'.repeat(300_000)}1]}`],
  ['objects 21 deep', nestBrackets('{"a":', '}', 21, '1')],
  ['lists 21 deep', nestBrackets('[', ']', 21)],
  ['objects 5,000 deep', nestBrackets('{"a":', '}', 5_000, '1')],
  ['lists 100,000 deep', nestBrackets('[', ']', 100_000)],
  ['lists and objects 60,000 deep', nestBrackets('[{"a":', '}]', 60_000, '0')],
  ['lists that never close', '['.repeat(200_000)],
  ['objects that never close', '{"a":'.repeat(100_000)],
];

/** Valid JSON with values that could be stored, but that no operation accepts as its body. */
const UNFIT: NamedBody[] = [
  ...'null true false 0 -0 "" "{}" [] [[]] [{}] [null] 1e308 -1e-400 1E400'
    .split(' ')
    .map((raw): NamedBody => [`only ${raw}`, raw]),
  [`${WHOLE} in a list`, `[${WHOLE}]`],
  ['a body inside a text', JSON.stringify(WHOLE)],
  ['the same key twice, differing', '{"name":"a","name":{"b":1},"surprise":1}'],
  ['the same key a thousand times', `{${'"name":1,'.repeat(1_000)}"name":2}`],
  ['constructor', '{"constructor":{"prototype":{"polluted":true}}}'],
  ['prototype', '{"prototype":{"polluted":true}}'],
  ['the methods of an object', '{"toString":1,"valueOf":1,"hasOwnProperty":1,"toJSON":1}'],
  ['a thenable', '{"then":1}'],
  ['an empty key', '{"":""}'],
  ['keys that look like places', '{"a.b":1,"a[0]":1,"/a":1,"~1":1,"$ref":"#"}'],
  [
    'a thousand keys',
    JSON.stringify(Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, index]))),
  ],
  ['a number of 10,000 digits', `{"name":${'9'.repeat(10_000)}}`],
  ['a fraction of 10,000 digits', `{"name":0.${'1'.repeat(10_000)}}`],
  ['exponents beyond all numbers', '{"name":1e99999,"number":-1e99999}'],
  ['a key of 100,000 characters', `{"${'k'.repeat(100_000)}":1}`],
  ['a text of 900,000 characters', `{"surprise":"${'x'.repeat(900_000)}"}`],
  ['blanks around', `${' \n\t\r'.repeat(5_000)}{"surprise":1}${' '.repeat(5_000)}`],
  ['an operator of another database', '{"name":{"$ne":null},"$where":"1"}'],
  ['every type in one list', '{"events":[1,"a",null,true,{},[],1.5,-0]}'],
];

const toHostileBodies = (sources: NamedBody[], code: HostileBody['code']): HostileBody[] =>
  sources.map(([name, raw]) => ({ name, raw: Buffer.from(raw as string), code }));

export const HOSTILE_BODIES: readonly HostileBody[] = [
  ...toHostileBodies(
    [...TRUNCATED, ...GRAMMAR, ...ENCODINGS, ...NO_TEXT, ...HALVES, ...REFUSED_VALUES],
    'MALFORMED_BODY',
  ),
  ...toHostileBodies([...UNFIT, ...FIT.map(nameGrammarCase)], 'VALIDATION_FAILED'),
  // Empty or blank bodies: they are not JSON, and there is nothing to validate.
  ...toHostileBodies(
    [
      ['empty', ''],
      ['blanks', ' \n '],
    ],
    null,
  ),
];
