/**
 * Removes what a model has thought from what it says. Some models write their reasoning into the answer, between tags such as `<think>` and
 * `</think>`. The rule:
 *
 * - A tag in code (in a line between backticks, or in a block between three of them) is something that the answer is about, and stays.
 * - The text between two tags is reasoning.
 * - A closing tag without an opening one ends reasoning whose beginning the server has removed: all text before it is reasoning.
 * - An opening tag that is never closed begins reasoning that was cut off, if it begins a line or follows the end of a sentence. Inside of a
 *   sentence it is a word, and stays.
 */

/** A block of code, code in a line, or a tag. Every repetition has a limit, so the work grows with the length of the text alone. */
const PARTS =
  /```|`[^`\n]{1,200}`|<(\/?)(?:[\w.-]{1,20}:)?(?:think|thinking|thoughts?|reasoning)(?:\s[^<>]{0,200})?(\/?)>/gi;
const FENCE = '```';
const SENTENCE_END = /(?:^|[\n.!?…:>])[ \t]*$/;
// A tag that follows more blanks than this counts as the beginning of a line.
const MOST_BLANKS = 20;

/** Returns the text without reasoning. Nothing may be left. */
export function stripReasoning(text: string): string {
  const parts = new RegExp(PARTS);
  let said = '';
  // What is not decided yet begins at `from`, and reasoning at `opened`, which is null outside of it.
  let from = 0;
  let opened: number | null = null;
  for (let part = parts.exec(text); part; part = parts.exec(text)) {
    const [found, slash, isEmptyTag] = part;
    if (slash === undefined) {
      parts.lastIndex = findCodeEnd(text, part.index, { found, isReasoning: opened !== null });
    } else if (isEmptyTag !== '/' && slash === '') {
      opened ??= part.index;
    } else if (slash === '/') {
      said = opened === null ? '' : said + text.slice(from, opened);
      from = parts.lastIndex;
      opened = null;
    }
  }
  const isCutOff = opened !== null && SENTENCE_END.test(text.slice(Math.max(from, opened - MOST_BLANKS), opened));
  return (said + text.slice(from, isCutOff && opened !== null ? opened : undefined)).trim();
}

/** Returns where to read on. Reasoning has single backticks as well, so code hides no tag in it. */
function findCodeEnd(
  text: string,
  index: number,
  { found, isReasoning }: { found: string; isReasoning: boolean },
): number {
  if (isReasoning) return index + 1;
  const end = found === FENCE ? text.indexOf(FENCE, index + FENCE.length) : index;
  return end < 0 ? index + FENCE.length : end + found.length;
}
