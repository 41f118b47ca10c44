/** Finds the lines by which programs introduce quoted lines ("Ana wrote:"), in any language: they name an address, or a date and a time. */

/** The most lines that such an introduction takes. */
const MAX_LINES = 3;
const ADDRESS = /[^\s<>]{1,64}@[^\s<>]{1,255}/;
const TIME = /\b\d{1,2}[:.h]\d{2}\b/;
const DATE = /\b(?:19|20)\d{2}\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b/;

const isMoment = (text: string): boolean => TIME.test(text) && DATE.test(text);
const isIntroduction = (text: string): boolean => ADDRESS.test(text) || isMoment(text);

/** Removes the introductions of quoted lines. A line stays that ends with a colon and names neither, because the person may have written it. */
export function dropAttributions(text: string): string {
  const lines = text.split('\n');
  const dropped = new Set<number>();
  for (const [index, line] of lines.entries())
    if (line.startsWith('>')) for (const found of findIntroduction(lines, index)) dropped.add(found);
  return dropped.size === 0 ? text : lines.filter((_line, index) => !dropped.has(index)).join('\n');
}

/** Returns the numbers of the lines that introduce the quoted line at `quote`. */
function findIntroduction(lines: string[], quote: number): number[] {
  const last = lines[quote - 1] === '' ? quote - 2 : quote - 1;
  if (lines[last]?.endsWith(':') !== true || lines[last].startsWith('>')) return [];
  const found = [last];
  const joined = (): string => found.map((index) => lines[index]).join(' ');
  // A long introduction is folded: its date is in the line before the address.
  for (let index = last - 1; index >= 0 && found.length < MAX_LINES; index -= 1) {
    const line = lines[index] ?? '';
    const isPart = isIntroduction(joined()) ? isMoment(line) && !isMoment(joined()) : true;
    if (line === '' || line.startsWith('>') || !isPart) break;
    found.unshift(index);
  }
  return isIntroduction(joined()) ? found : [];
}
