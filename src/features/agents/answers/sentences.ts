/** Shortens a text that was cut off, so that no one reads half a sentence. */

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'sentence' });
/** What closes a quotation, a bracket or a format after the end of a sentence. */
const CLOSING = new Set('"\'”’»)]*_~`');
const OPENING = /^["'“‘«¿¡([*_~`]+/;
const END = /[.!?…。！？؟]$/;
/** After these the next sentence begins without a blank. */
const WIDE_END = /[。！？]$/;
/** What stands behind the end of a sentence. Within an address there is something else. */
const PAUSE = /^(?:\s|\p{Extended_Pictographic}|$)/u;
/** A dot after these ends no sentence: words of Portuguese, English and Spanish that are written short. */
const SHORT_WORDS = new Set(
  'sr sra srta srs sras dr dra drs dras prof profa mr mrs ms st jr ud uds vd vds av tel cel ex aprox obs pág págs núm nº vs approx dept apt apto ltda cia no nos exmo exma eng arq fl art cap inc'.split(
    ' ',
  ),
);
/** A number ends no sentence, because a list goes on after it. A price may end one. */
const NUMBER = /^\d+$/;
const PRICE = /[$€£]\s?\d{1,9}\.$/;
/** A line that only announces the next one, or is a heading. */
const ANNOUNCES = /^\s*#|[:;,–-]$/;
/** A dot after these may be one inside of a number or an address. */
const OPEN_WORD = /\d$|[/@.:]/;

/**
 * Returns the text up to its last complete sentence, or up to the last complete line after one, as in a list; null when it has no complete
 * sentence.
 */
export function endAtSentence(text: string): string | null {
  let end = 0;
  for (const { segment, index } of SEGMENTER.segment(text)) {
    const next = index + segment.length;
    const isLast = next === text.length;
    const sentence = trimClosing(segment);
    const isEnd = endsSentence(sentence, isLast) && isPause(text, index + sentence.length, sentence);
    if (isEnd || (end > 0 && !isLast && endsLine(segment))) end = next;
  }
  // Some marks that close a sentence belong to the next segment.
  while (end > 0 && CLOSING.has(text[end] ?? '') && !/\s/.test(text[end - 1] ?? '')) end += 1;
  return end === 0 ? null : text.slice(0, end).trim();
}

/** `isLast`: the text was cut off behind it, perhaps in the middle of a number or an address. */
function endsSentence(sentence: string, isLast: boolean): boolean {
  if (!END.test(sentence)) return false;
  const word = (sentence.split(/\s/).at(-1) ?? '').slice(0, -1).replace(OPENING, '').toLowerCase();
  if (isLast && /[/@]/.test(word)) return false;
  if (!sentence.endsWith('.')) return true;
  if (NUMBER.test(word) && !PRICE.test(sentence)) return false;
  if (SHORT_WORDS.has(word) || /^\p{L}(?:\.\p{L})*$/u.test(word)) return false;
  return !isLast || !OPEN_WORD.test(word) || word.endsWith('.');
}

function isPause(text: string, at: number, sentence: string): boolean {
  let next = at;
  while (CLOSING.has(text[next] ?? '')) next += 1;
  return WIDE_END.test(sentence) || PAUSE.test(text.slice(next, next + 2));
}

const endsLine = (segment: string): boolean =>
  segment.endsWith('\n') && segment.trim() !== '' && !ANNOUNCES.test(segment.trim());

function trimClosing(segment: string): string {
  let end = segment.length;
  while (end > 0 && (CLOSING.has(segment[end - 1] ?? '') || /\s/.test(segment[end - 1] ?? ''))) end -= 1;
  return segment.slice(0, end);
}
