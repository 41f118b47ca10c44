/**
 * Edge cases of JSON from test suites of JSON parsers: texts that no parser may accept, texts on which parsers differ, and texts that every
 * parser accepts. Even the last ones fit no operation.
 */
type NamedBody = readonly [name: string, raw: string | Buffer];

const splitAtBlanks = (text: string): string[] => text.trim().split(/\s+/);
const bytes = (...values: number[]): Buffer => Buffer.from(values);
const bytesInText = (...values: number[]): Buffer =>
  Buffer.concat([Buffer.from('{"k":"'), bytes(...values), Buffer.from('"}')]);

/** Texts that are not JSON values, used where a value may be. */
const NO_VALUES = splitAtBlanks(String.raw`
++5 +Inf -07 -3.0. -4. -NaN .-6 .3e-2 0.4.1 0.5e+ 0.6e 0.e7 0E+ 0E 0e+ 2.0e+ 2.0e- 2.0e 5eE3 3.e+2 3.e-2 3.e2 8.e+ Inf infinity
${'\uff13'} 3+4 0xF 0x5a 0e+-2 -45.67bar - -. -.456 -8y 7ea 1.3b4 1.5H-300 009 .75 5@ 6f 1.7.8 0b11 0o17 1'000 ${'\u0661'} 1e1.5 1e0x2 --0 +0
tru fals nul TRUE False nULL truth nil void yes ${'\u00e9'} * ~ ? @ & % ^ | ; \ \n "\a" "\v" "\0" "\'" "\x0a" "\U0041" "\u" "\u0" "\u00" "\u00e"
"\u00zz" "\uD83D\u" "\uD83D\uD" "\uD83D\uDE0x" "\u{1F600}" "\\\" "open 'single' ${'`back`'} ${'\u201ccurly\u201d'} bare \u0041 "a""b" "a"b "\\u12"3
`);

/** Structures that do not end, end twice, or have a wrong separator. */
const NO_STRUCTURES = [
  ...splitAtBlanks(String.raw`
[""],  ["b",,] ["b"]] ["b",] ["b" [b [5[6]] [6:7] ["":7] [,] [-] [*] [1,}  [}  ["b"}  [[] [[["c"] []] [][] [1]2 [1]b [1],[2] [1,
[true [fals [nul [tru, ["\  ["c [' [, [{ [{"d" ["d", ["\{["\{ {[:2} {[]:2} {{}:2} {"e",2} {"e"=2} {"e"->2} {e:"f"} {'e':0}
{"e":2,,"f":3} {"e":2,,,} {"e":2}} {"e":2}# {"e":2}/ {"e":2}/* {"e":2}/**/ {"e":2}// {"e":2/**/} {"e" {"e": {"e":"f {"e":2, {"e":[}
{"e":{] {,} {, {2:2} {22222222222222222222222222222:2} {true:2} {null:null,null:null} {"e":"f"g} {"e":2:3} {:} {"":} {*} {' {[ {,"e"
{"e":2};{"f":3} {"e":2}{"f":3} ${'{\u{1f642}}'} <> <{}> <nil> (1) (1,2) [1..5] ... [...] {...} ] } , : # @ "open \" ' / 
`),
  '[2 true]',
  '[ , ""]',
  '["b"\n,5\n,2',
  '[2,\n2\n,2',
  '[{}',
  '["\n"]',
  '["\r"]',
  '["\u001f"]',
  '["\u0000"]',
  '[\u0000]',
  '[\u000b]',
  '[\u000c]',
  '[\u2060]',
  '[\u00a0]',
  '[\ufeff]',
  '\u2060{}',
  '\u3000{}',
  '{}\u00a0',
  '{"e":2 "f":3}',
  '{"e" 2}',
  '{"e":2} 3',
  '- 5',
  '5 000',
  'true false',
  String.raw`[\u000A""]`,
  String.raw`{\u0022e":2}`,
  '12\u0000',
];

export const NO_JSON: string[] = [
  ...NO_VALUES.flatMap((value) => [value, `{"k":${value}}`, `[${value}]`]),
  ...NO_STRUCTURES,
];

/** Bytes that are not valid UTF-8, where a text would be allowed. */
export const NO_TEXT: NamedBody[] = [
  ['a lone byte of Latin-1', bytesInText(0xe9)],
  ['a letter, then a byte that begins a character', bytesInText(0x61, 0xe5)],
  ['an escape, then a byte of no character', Buffer.concat([Buffer.from('{"k":"\\'), bytes(0xe5), Buffer.from('"}')])],
  [
    'an escape by number with a byte of no character',
    Buffer.concat([Buffer.from('{"k":"\\u00'), bytes(0xe5), Buffer.from('"}')]),
  ],
  ['a byte of no character in a number', Buffer.concat([Buffer.from('[0'), bytes(0xe5), Buffer.from(']')])],
  ['a byte of no character in an exponent', Buffer.concat([Buffer.from('[1e1'), bytes(0xe5), Buffer.from(']')])],
  ['a byte of no character in a literal', Buffer.concat([Buffer.from('[tru'), bytes(0xe5), Buffer.from(']')])],
  ['a continuation in a key', Buffer.concat([Buffer.from('{"'), bytes(0xb9), Buffer.from('":"0",}')])],
  ['a byte of no character alone', bytes(0xe5)],
  ['two bytes of a byte order mark', bytes(0xef, 0xbb, 0x7b, 0x7d)],
  ['a byte order mark before an empty object', bytes(0xef, 0xbb, 0xbf, 0x7b, 0x7d)],
  ['a byte order mark of the other end', bytes(0xfe, 0xff, 0, 0x7b, 0, 0x7d)],
  ['an overlong letter of six bytes', bytesInText(0xfc, 0x83, 0xbf, 0xbf, 0xbf, 0xbf)],
  ['a character of five bytes', bytesInText(0xf8, 0x88, 0x80, 0x80, 0x80)],
  ['an overlong quote', bytesInText(0xc0, 0xa2)],
  ['three of four bytes', bytesInText(0xf0, 0x9f, 0x98)],
  ['a character, and half of it again', bytesInText(0xf0, 0x9f, 0x98, 0x80, 0x9f, 0x98)],
  ['the last half of a pair in UTF-8', bytesInText(0xed, 0xbf, 0xbf)],
  ['five bytes beyond the last code point', bytesInText(0xf7, 0xbf, 0xbf, 0xbf)],
];

/** Halves of surrogate pairs: some parsers accept them, and no database column can store them. */
export const HALVES: NamedBody[] = splitAtBlanks(String.raw`
\uDA00 \uDBFF \uDFFF \uD800\n \uD800\uD800 \uD800\uD800\n \uDD1E\uD834 \uD888\u1234 \uD834abc abc\uDE00 \uD83D\uD83D\uDE00 \uDADA\u0020
`).map((text) => [`halves of a pair: ${text}`, `{"k":"${text}"}`]);

const FIT_NUMBERS = splitAtBlanks(`
0 -0 0e1 0e+1 0E-1 5E5 5E+5 5e-5 123e65 123.456e78 123.456789 -7 -7.5e-3 -0.0 1.0 20e1 0.4e00669999999999999999999999999999
-0.000000000000000000000000000000000000000000000000000000000000000000000000000001 1e-10000 -1e+9999 123123e100000 -123123e100000
100000000000000000000 -100000000000000000000 -237462374673276894279832749832423479823246327846 9007199254740993 4.9e-324 2.2250738585072014e-308
1.7976931348623157e308 1.7976931348623159e308 0.1000000000000000055511151231257827
`);

const FIT_TEXTS = splitAtBlanks(String.raw`
\" \\ \/ \b\f\n\r\t \\n \\u0000 \u0012 \u001f \u007f \u0060\u012a\u12AB \uD801\udc37 \ud83d\ude39\ud83d\udc8d \uDBFF\uDFFE \uD83F\uDFFE
\uFFFF \uFDD0 \uFFFE \u00A0 \u200B \u2064 \u2028\u2029 \u0821 \u0123 \u005C \u0022 \u002c \u20ac ${'\u{1d11e}'} ${'\u20ac\ud55c'} ${'\u{10ffff}'}
${'\ufffe'} ${'\u2028'} ${'\u2029'} ${'\u007f'} ${'\u03c0'} ${'\u2342\u3234\u2342'} a/*b*/c//d [] {} null
`);

const FIT_WHOLE = [
  '[[]   ]',
  '["b"]\n',
  '[false, true]',
  '[null, 3, "4", {}]',
  '[3\n]',
  ' [4]',
  '[5] ',
  '[null,null,null,6]',
  '[{},[],{}]',
  '[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]',
  '\t[]\r\n',
  '-0.5',
  '"\\u0061\\u30af"',
  '{"":0,"surprise":1}',
  '{"k":"l","k":"l"}',
  '{"k":"l","k":"m"}',
  '{"k":[]}',
  '{\n"k": "l"\n}',
  '{"k":{"k":{"k":{}}}}',
  '{"min":-1.0e+28,"max":1.0e+28}',
  '{"\\u0061":1,"a":2}',
];

/** JSON texts that every parser accepts, and that fit no operation. */
export const FIT: string[] = [
  ...FIT_NUMBERS.map((number) => `{"surprise":[${number}]}`),
  ...FIT_TEXTS.map((text) => `{"surprise":"${text}"}`),
  ...FIT_TEXTS.filter((text) => text.length > 2).map((text) => `{"${text}":1}`),
  ...FIT_WHOLE,
];
