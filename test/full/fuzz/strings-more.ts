/**
 * More texts that break programs: text that people write, shell commands, formulas of sheets, text that breaks renderers, and harmless
 * texts that filters refuse.
 */
const splitAtBlanks = (text: string): string[] => text.trim().split(/\s+/);

/** Harmless texts that a word filter or an anti-virus program may refuse. */
const INNOCENT = [
  'Essex County Cocktail Classics',
  'Arsenal beats Middlesex',
  'Penistone, Lightwater and Clitheroe',
  'Assessment of the cumulative analysis',
  'Dr. Dick Butkus',
  'Please evaluate expression; selection from union where drop',
  'Select one option from the list and update the table',
];

const NAMES = [
  'Null',
  'N/A',
  'Test',
  "D'Artagnan-O'Neil",
  "Ng\u0169g\u0129 wa Thiong'o",
  'Bj\u00f6rk Gu\u00f0mundsd\u00f3ttir',
  '\u5c71\u7530 \u592a\u90ce',
  '\uae40\ubbfc\uc900',
  '\u041c\u0430\u0440\u0438\u044f \u041f\u0435\u0442\u0440\u043e\u0432\u0430',
  '\u0645\u062d\u0645\u062f \u0628\u0646 \u0633\u0644\u0645\u0627\u0646',
  'X \u00c6 A-12',
  'Jos\u00e9 da Silva J\u00fanior, Filho & C\u00eda. Ltda. (ME)',
  '   leading and trailing   ',
  'M\u0308o\u0308tley Cru\u0308e',
];

/** Sequences of combining marks that have crashed renderers. */
const RENDERED = [
  '\u0644\u064f\u0644\u064f\u0635\u0651\u0628\u064f\u0631\u0631\u064b \u0963 \u0963h \u0963 \u5197',
  '\u0c1c\u0c4d\u0c1e\u200c\u0c3e',
  '\u09b8\u09cd\u09b0\u200c\u09c1',
  '\u0b95\u0bcd\u0bb7\u0bcc',
  '\u200f\u200e'.repeat(200),
  '\u202e'.repeat(50),
  '\u{1f3f3}\ufe0f0\u{1f308}',
  '\u{1f469}\u200d'.repeat(60),
  '\u{e0020}'.repeat(30),
  '\u0e49'.repeat(90),
  '(\u0361\u00b0 \u035c\u0296 \u0361\u00b0)',
  '\u00af\\_(\u30c4)_/\u00af',
  '(\u256f\u00b0\u25a1\u00b0)\u256f\ufe35 \u253b\u2501\u253b',
  '\u2070\u00b9\u00b2 \u2080\u2081\u2082 \u2160\u216b \u3220',
  '\u02d9\u0250nb\u1d09l\u0250 \u0250u\u0183\u0250\u026f',
  '\uff34\uff48\uff45 \uff51\uff55\uff49\uff43\uff4b',
  '\u{1d4e3}\u{1d4f1}\u{1d4ee} \u{1d492}\u{1d496}',
  '\u24af\u24a3\u24a0',
  '\u2581\u2582\u2583\u2588\u2593\u2592\u2591',
  '\u00e5\u00df\u2202\u0192\u00a9\u02d9\u2206\u02da\u00ac\u2026\u00e6',
  '\u0152\u201e\u00b4\u2030\u02c7\u00c1\u00a8\u02c6\u00d8\u220f',
  '\u201c\u2018\u00bb\u203a"\'\u201d\u2019\u00ab\u2039',
];

/** Markup that some HTML filters do not recognise as a tag. */
const SLIPPED = [
  '<scr<script>ipt>x=1</scr</script>ipt>',
  '<IMG SRC=jav\tascript:void(0)>',
  '<img src="x` `<b>"` `>',
  '<a href="\u0001javascript:void(0)">x</a>',
  '<a href="jav&#x09;ascript:void(0)">x</a>',
  '<math><mi//xlink:href="data:x,y">',
  "<svg><style>{font-family:'<iframe/onload=x=1>'",
  '<details open ontoggle=x=1>',
  '\uff1cscript\uff1ex\uff1c/script\uff1e',
  '\u02c2b\u02c3',
  '+ADw-script+AD4-x+ADw-/script+AD4-',
  '%3Cb%3E%253Cb%253E',
  '<![endif]--><!--[if gte IE 4]>',
  '--!><b>',
  '<x y=\'&#39;\' z="&quot;">',
  '<base href=//127.0.0.1:1>',
  '<meta http-equiv=refresh content=0>',
  '<link rel=stylesheet href=x>',
  'expression(x=1)',
  '@import "x"; } *{color:red',
];

const SHELLS = [
  '-rf',
  '--help',
  '-- --version',
  '!!',
  '!$',
  '~/x > y 2>&1 <z',
  '$HOME ${IFS} $((1+1)) $0',
  '%PATH% !PATH! ^& dir',
  '() { :;}; echo x',
  "\\'; sleep 0 #",
  'a\nexit 0\n',
  'eval("1+1")',
  "system('id')",
  'Kernel.exit(1)',
  '__import__("os").getpid()',
  'require("child_process")',
  '${jndi:ldap://127.0.0.1:1/a}',
  '#{T(Runtime)}',
  '{{constructor.constructor("return 1")()}}',
  '{php}x{/php}<?php x ?>',
  '<!--#exec cmd="id"-->',
  'O:8:"stdClass":0:{}',
  '!!python/object:x {}',
  'rO0ABXNyAA==',
  '*)(uid=*))(|(uid=*',
  "' or count(/*)=1 or 'a'='b",
];

const SHEETS = [
  '=cmd|"x"!A0',
  "=1+1|' '!A0",
  '@x',
  '-1+1',
  '\r=1',
  '"=1"',
  "'=1",
  '\uff1d1+1',
  'a;b,c\td|e',
  '"a""b","c',
  'sep=;',
  '1-2',
  'MAR1',
  '1E10',
  '00123',
  '#REF!',
];

const DEVICES = splitAtBlanks(
  'AUX NUL COM1 LPT9 CLOCK$ A: x: \\\\.\\C: \\\\?\\x con.txt nul.tar.gz aux. PRN ..: ::$DATA desktop.ini',
);

export const MORE: readonly string[] = [
  ...INNOCENT,
  ...NAMES,
  ...RENDERED,
  ...SLIPPED,
  ...SHELLS,
  ...SHEETS,
  ...DEVICES,
];
