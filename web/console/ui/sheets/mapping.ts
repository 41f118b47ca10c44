/** Which field each column of a sheet fills. */

export interface ImportField {
  /** As the API names it. */
  key: string;
  title: string;
}

/** The field of each title; null for a column that is left out. */
export type Mapping = ReadonlyMap<string, string | null>;

/** Small letters without accents; blanks, hyphens and underscores are the same. */
export const foldTitle = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
    .trim();

/** Maps the columns of a sheet. Of two columns that mean one field, the first fills it; a title that stands twice names no column. */
export function mapTitles(titles: readonly string[], find: (title: string) => string | null): Mapping {
  const mapping = new Map<string, string | null>();
  const taken = new Set<string | null>();
  for (const title of titles.filter(Boolean)) {
    const isTwice = titles.indexOf(title) !== titles.lastIndexOf(title);
    const field = isTwice ? null : find(title);
    mapping.set(title, taken.has(field) ? null : field);
    taken.add(field);
  }
  return mapping;
}

/** Returns the field that two columns fill; null when there is none. */
export function findDoubled(mapping: Mapping): string | null {
  const chosen = [...mapping.values()].filter((field) => field !== null);
  return chosen.find((field, index) => chosen.indexOf(field) !== index) ?? null;
}

/** Returns the mapping as the API takes it; undefined lets the platform recognise the columns. */
export function toMappingBody(mapping: Mapping | null): Record<string, string> | undefined {
  if (!mapping) return undefined;
  return Object.fromEntries([...mapping].filter((pair): pair is [string, string] => pair[1] !== null));
}
