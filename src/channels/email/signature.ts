/** Tells the signature of a person from what they wrote between lines of dashes, or behind a greeting. */

/** The mark of a signature (RFC 3676, 4.3). A line of two dashes without the space is often only a line. */
const MARK = '-- ';
/** The longest signature behind the mark, and the longest block behind anything else that passes for one. */
const MAX_MARKED = 2_000;
const MAX_UNMARKED = { lines: 8, characters: 500 };
/** What people write behind a greeting that is no signature. */
const WRITTEN = /\?|^\s*(?:p\.?\s?s|obs)\b/im;

/** Returns how many of the last blocks are signatures, of blocks that begin with a line of dashes or a greeting. */
export function countSignatures(blocks: string[]): number {
  const dashed = blocks.filter((block) => /^--[ \t]*(?:\n|$)/.test(block));
  const last = dashed.at(-1);
  // Between several lines of dashes people write lists.
  const only = dashed.length > 1 && last?.startsWith(MARK) !== true ? undefined : last;
  const first = blocks.findLastIndex((block) => !isSignature(block) || (dashed.includes(block) && block !== only));
  return blocks.length - 1 - first;
}

function isSignature(block: string): boolean {
  if (block.startsWith(`${MARK}\n`)) return block.length <= MAX_MARKED;
  const lines = block.split('\n').filter((line) => line.trim() !== '');
  return lines.length <= MAX_UNMARKED.lines && block.length <= MAX_UNMARKED.characters && !WRITTEN.test(block);
}
