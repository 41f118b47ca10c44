/**
 * Writes the tables of docs/limits.md from the limits that are declared: `node scripts/limits.ts`. With --check it shows the first difference,
 * and also the limits that are declared nowhere.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { CHANNEL_MEDIA, CHANNEL_VARIABLES } from '../src/channels/registry.ts';
import { SETTINGS } from '../src/config.ts';
import { FILE_TYPES, FORMATS, MAX_BYTES, type FileType } from '../src/platform/work/media/formats.ts';
import { DECLARED_LIMITS } from '../src/platform/values/limits.ts';
import { writeOrCheck, writeTable } from './built-files.ts';
import { isTest } from './import-law.ts';
import { findLimitViolations } from './limit-law.ts';
import { replaceLimitTables, writeBytes } from './limit-tables.ts';
import { readSources, reportViolations } from './source-facts.ts';
import { TUNING, TUNING_SETTINGS } from './tuning.ts';

const PAGE = 'docs/limits.md';
const DECLARATION = /\bdeclare(?:Setting)?Limit\(/g;

const files = readSources('.', ['src']).filter(({ path }) => !isTest(path));
for (const { path, text } of files) if (text.search(DECLARATION) !== -1) await import(pathToFileURL(path).href);

// A declaration inside of a function would be made again and again, and not before the function runs.
const MODULE = 'src/platform/values/limits.ts';
const written = files
  .filter(({ path }) => path !== MODULE)
  .reduce((sum, { text }) => sum + [...text.matchAll(DECLARATION)].length, 0);
if (written !== DECLARED_LIMITS.length)
  throw new Error(
    `${written} limits are declared, but ${DECLARED_LIMITS.length} are known: declare each at the top of its file`,
  );

const settings = { ...SETTINGS, ...CHANNEL_VARIABLES };

/** Lists the settings with a number that are neither declared as limits nor known as tuning. */
function findSettingViolations(): string[] {
  const declared = new Set(DECLARED_LIMITS.map(({ setting }) => setting));
  return Object.entries(settings)
    .filter(([, { fallback }]) => typeof fallback === 'number')
    .map(([name]) => name)
    .filter((name) => !declared.has(name) && !TUNING_SETTINGS.has(name));
}

/** The formats of files, and how large a file of each type can be. */
function writeFileTable(): string[] {
  const formats = (type: FileType): string[] =>
    Object.values(FORMATS).flatMap(({ name, fileTypes }) => (fileTypes.some((each) => each === type) ? [name] : []));
  const channels = CHANNEL_MEDIA.map(({ channel, media }) => [
    `Sent by \`${channel}\``,
    ...FILE_TYPES.map((type) => {
      const found = media.find(({ contentType }) => contentType === type);
      if (!found) return '–';
      const still = found.maxStillBytes === undefined ? '' : `, ${writeBytes(found.maxStillBytes)} if it doesn't move`;
      return writeBytes(Math.min(found.maxBytes, MAX_BYTES[type])) + still;
    }),
  ]);
  return writeTable(
    ['What', ...FILE_TYPES],
    [
      ['Formats', ...FILE_TYPES.map((type) => [...new Set(formats(type))].join(', '))],
      ['Uploaded, or received from a contact', ...FILE_TYPES.map((type) => writeBytes(MAX_BYTES[type]))],
      ...channels,
    ],
  );
}

const further = new Map([['Sizes of files', writeFileTable()]]);
const page = replaceLimitTables(readFileSync(PAGE, 'utf8'), { limits: DECLARED_LIMITS, settings, further });
writeOrCheck([[PAGE, page]], 'npm run limits');
reportViolations('limits', files.length, [
  ...findLimitViolations(files, TUNING),
  ...findSettingViolations().map((name) => ({
    path: 'src/config.ts',
    line: 1,
    sentence: `${name} has a number: declare it with declareSettingLimit(), or list it in scripts/tuning.ts`,
  })),
]);
