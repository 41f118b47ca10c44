const SEPARATORS = /([\s()<>[\]"']+)/;
/** Marks that stand around a link in a sentence, or emphasize it. */
const MARKS = new Set('.,;:!?{}*_~`“”«»‘’…');
const SCHEME = /^(?:mailto:|tel:|www\.)|:\/\//i;
/** Words or an emoji that are glued to an address, as in `Link:https://shop.example`. They are no part of a link, because they have no dot. */
const GLUED = /^([^./@]{0,50}[^./@\p{L}\p{N}])(https?:\/\/.*)$/isu;
/**
 * A dot inside of a name such as `shop.example`, of which messengers make a link as well, whatever stands before and after it. The last part
 * of a name begins with a letter, so that 2.5kg is none. Browsers also take the full stops of Chinese and Japanese for such dots; these end
 * sentences, so they count only before Latin letters.
 */
const NAME_DOT =
  /(?:(?<=\p{L})\.(?=[\p{L}\p{N}-]{2})|(?<=\p{N})\.(?=\p{L}[\p{L}\p{N}-])|(?<=[\p{L}\p{N}])[\u3002\uff0e\uff61](?=[a-z\d][a-z\d-]))(?=[\p{L}\p{N}-]*\p{L})/giu;
/** An address of IP, version 4. More than four numbers are one of a telephone, and a large one is an amount. */
const NUMBERS = /(?<!\d|\d\.)(?:25[0-5]|2[0-4]\d|[01]?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|[01]?\d?\d)){3}(?!\d|\.\d)/g;

/** All that may be a link in the sources. */
export type KnownLinks = ReadonlySet<string>;

export const listKnownLinks = (sources: readonly string[]): KnownLinks =>
  new Set(sources.flatMap(splitParts).map(toLink));

/**
 * Removes links from a text that stand in none of the sources, because a hijacked model must not send people anywhere. What only looks like
 * a link keeps its words, but is no link any more.
 */
export function keepKnownLinks(text: string, sources: readonly string[] | KnownLinks): string {
  const known = sources instanceof Set ? sources : listKnownLinks(sources as readonly string[]);
  return splitParts(text)
    .map((part) => keepKnown(part, known))
    .join('')
    .trim();
}

/**
 * Removes what stands in `given` from a text that a server returned for it, so that a model cannot make a link known by having a server
 * repeat it.
 */
export function dropEchoes(text: string, given: string): string {
  const folded = given.toLowerCase();
  return splitParts(text)
    .filter((part) => toLink(part) === '' || !folded.includes(toLink(part)))
    .join('');
}

/** Splits a text into what may be a link and what stands between, with nothing left out. */
const splitParts = (text: string): string[] =>
  text.split(SEPARATORS).flatMap((part) => {
    const [, before, link] = GLUED.exec(part) ?? [];
    // Marks only are no words, and go with the link.
    return !before || !link || toLink(before) === '' || SCHEME.test(before) ? part : [before, link];
  });

function keepKnown(part: string, known: ReadonlySet<string>): string {
  const link = toLink(part);
  if (known.has(link)) return part;
  if (SCHEME.test(link)) return '';
  return part.replace(NAME_DOT, '. ').replace(NUMBERS, (address) => address.replaceAll('.', '. '));
}

/** Cuts the marks around a link off. */
function toLink(part: string): string {
  let [start, end] = [0, part.length];
  while (start < end && MARKS.has(part[start] ?? '')) start += 1;
  while (end > start && MARKS.has(part[end - 1] ?? '')) end -= 1;
  return part.slice(start, end).toLowerCase();
}
