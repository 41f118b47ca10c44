/** The marks between which models write their reasoning, as a table, and the expression that finds them in a text. */

interface Pair {
  open: string;
  close: string;
  /** The marks are no words that an answer may contain: an opening one begins reasoning wherever it stands, and a closing one alone ends none. */
  isTemplate?: true;
}

const NAMES = '(?:[\\w.-]{1,20}:)?(?:think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad)';

const PAIRS: readonly Pair[] = [
  { open: `<${NAMES}(?:\\s[^<>]{0,200})?(?<!/)>`, close: `</${NAMES}\\s{0,200}>` },
  { open: '\\[THINK\\]', close: '\\[/THINK\\]' },
  { open: '◁think▷', close: '◁/think▷' },
  { open: '<\\|START_THINKING\\|>', close: '<\\|END_THINKING\\|>' },
  // The format Harmony of OpenAI's open models. The same mark ends every kind of message in it.
  { open: '<\\|channel\\|>(?:analysis|commentary)', close: '<\\|end\\|>', isTemplate: true },
];

/** The answer in Harmony. All before it is reasoning. */
const FINAL = '<\\|channel\\|>final(?:[^<\\n]{0,40})<\\|message\\|>';

/** Tokens of chat templates, such as `<|im_end|>`, with the role that may follow them, and empty tags such as `<think/>`. */
const TOKENS = [
  '<\\|(?:im_start|start|start_header_id)\\|>(?:assistant)?(?:<\\|end_header_id\\|>)?',
  '<start_of_turn>(?:model)?',
  '<end_of_turn>',
  '<[|｜][\\w▁]{1,40}[|｜]>',
  `<${NAMES}\\s{0,200}/>`,
];

const any = (texts: readonly string[]): string => `(?:${texts.join('|')})`;
const TAG = any(PAIRS.flatMap(({ open, close }) => [open, close]).concat(TOKENS));
const name = (kind: 'open' | 'close', pairs: readonly Pair[]): string =>
  pairs.map((pair, index) => `(?<${kind}${index}>${pair[kind]})`).join('|');

/** A fence of code at the beginning of a line, a tag in code, or a mark. Every repetition has a limit, so the work grows with the length alone. */
export const PARTS = new RegExp(
  [
    '(?:^|(?<=\\n))[ \\t]{0,20}(?<fence>```|~~~)',
    `(?<code>\`${TAG}(?:[^\`\\n]{0,200}${TAG})?\`)`,
    `(?<final>${FINAL})`,
    name('open', PAIRS),
    name('close', PAIRS),
    `(?<token>${any(TOKENS)})`,
  ].join('|'),
  'gi',
);

export interface Part {
  /** `end` closes reasoning of its own pair, and is a token otherwise. */
  kind: 'fence' | 'code' | 'final' | 'open' | 'close' | 'end' | 'token';
  index: number;
  end: number;
  /** The characters of a fence. */
  mark: string;
  /** The line of the table; -1 for anything else. */
  pair: number;
  /** Whether an opening mark is never a word of an answer. */
  isAlways: boolean;
}

/** Describes what the expression has found. */
export function readPart({ index, 0: text, groups = {} }: RegExpExecArray): Part {
  const found = new Map(Object.entries(groups).filter(([, value]) => value !== undefined));
  const part = { index, end: index + text.length, mark: found.get('fence') ?? '', pair: -1, isAlways: false };
  for (const kind of ['fence', 'code', 'final'] as const) if (found.has(kind)) return { ...part, kind };
  for (const [pair, { isTemplate = false }] of PAIRS.entries()) {
    if (found.has(`open${pair}`)) return { ...part, kind: 'open', pair, isAlways: isTemplate };
    if (found.has(`close${pair}`)) return { ...part, kind: isTemplate ? 'end' : 'close', pair };
  }
  return { ...part, kind: 'token' };
}
