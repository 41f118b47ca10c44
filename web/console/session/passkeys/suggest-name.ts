/** Suggests a name for a passkey, such as "Chrome on Windows". */
import { getTexts } from '../../texts/texts.ts';
import { PASSKEYS } from './texts.ts';

type Marks = readonly (readonly [mark: string, name: string])[];

// The first mark that is found counts, because most user agents also name other browsers and systems.
const BROWSERS: Marks = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];
const SYSTEMS: Marks = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Macintosh', 'macOS'],
  ['Linux', 'Linux'],
];

const find = (marks: Marks, agent: string): string | undefined => marks.find(([mark]) => agent.includes(mark))?.[1];

/** Returns an empty text for an unknown browser. */
export function suggestName(agent = navigator.userAgent): string {
  const browser = find(BROWSERS, agent);
  const system = find(SYSTEMS, agent);
  return browser && system ? getTexts(PASSKEYS).browserOn(browser, system) : (browser ?? system ?? '');
}
