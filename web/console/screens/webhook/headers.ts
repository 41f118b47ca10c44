/** The custom headers of a webhook as lines of a form. */
export interface HeaderLine {
  /** Tells the lines of the form apart while their names change. */
  key: number;
  name: string;
  value: string;
}

let lastKey = 0;

export const newLine = (name = '', value = ''): HeaderLine => ({ key: (lastKey += 1), name, value });

export const toLines = (headers: Record<string, string>): HeaderLine[] =>
  Object.entries(headers).map(([name, value]) => newLine(name, value));

const isFilled = ({ name, value }: HeaderLine): boolean => name.trim() !== '' || value !== '';

/** Lines that nobody has filled are left out. */
export const toHeaders = (lines: readonly HeaderLine[]): Record<string, string> =>
  Object.fromEntries(lines.filter(isFilled).map(({ name, value }) => [name.trim(), value]));

/** Returns the name that stands in two lines, whatever its case; null when there is none. */
export function findRepeated(lines: readonly HeaderLine[]): string | null {
  const seen = new Set<string>();
  for (const { name } of lines.filter(isFilled)) {
    const plain = name.trim().toLowerCase();
    if (seen.has(plain)) return plain;
    seen.add(plain);
  }
  return null;
}
