/** Forms that no honest client sends, and sheets that no spreadsheet program writes. */
import type { Chance } from '../harness/chance.ts';
import { makeWorkbookParts, makeWorkbook, makeZip } from '../../support/sheets.ts';
import { HOSTILE_BODIES } from './bodies.ts';
import { END, FORM_TYPE, buildPart } from './forms.ts';
import { buildOperationRequest, generateBody, type RequestContext } from './operation-shots.ts';
import type { FuzzRequest } from './shot.ts';
import { INHERITED, NAUGHTY } from './strings.ts';

const FILE = 'name="file"; filename="a.csv"';
const SHEET = Buffer.from('name,note\nAna,x\n');

/** Bodies that are not forms, or not the form that the operation takes. */
const HOSTILE: ((chance: Chance) => Buffer)[] = [
  () => Buffer.alloc(0),
  () => END,
  () => SHEET,
  (chance) => chance.pick(HOSTILE_BODIES).raw,
  // Forms that are cut off in the boundary, in the headers, or in the file.
  (chance) => buildPart(FILE, SHEET).subarray(0, chance.int(buildPart(FILE, SHEET).length)),
  () => buildPart(FILE, SHEET),
  () => Buffer.concat([buildPart(FILE, SHEET), buildPart(FILE, SHEET), END]),
  () => Buffer.concat([buildPart('name="file"', SHEET), END]),
  () => Buffer.concat([buildPart('name="mapping"; filename="a.json"', SHEET), END]),
  () => Buffer.concat([buildPart('filename="a.csv"', SHEET), END]),
  () => Buffer.concat([buildPart('name=""; filename="a.csv"', SHEET), END]),
  () => Buffer.concat([buildPart(FILE, SHEET, 'Content-Transfer-Encoding: base64'), END]),
  () => Buffer.concat([buildPart(FILE, SHEET, ...Array.from({ length: 500 }, (_, index) => `X-${index}: y`)), END]),
  () => Buffer.concat([buildPart(FILE, SHEET, `X-Long: ${'y'.repeat(100_000)}`), END]),
  () => Buffer.concat([...Array.from({ length: 300 }, (_, index) => buildPart(`name="p${index}"`, SHEET)), END]),
  () => Buffer.concat([buildPart(FILE, SHEET), buildPart('name="mapping"', Buffer.alloc(1_100_000, '[')), END]),
  (chance) =>
    Buffer.concat([buildPart(FILE, SHEET), buildPart('name="mapping"', chance.pick(HOSTILE_BODIES).raw), END]),
  (chance) => Buffer.concat([buildPart(`name="${pickName(chance)}"`, SHEET), buildPart(FILE, SHEET), END]),
  (chance) => Buffer.concat([buildPart(`name="file"; filename="${pickName(chance)}"`, SHEET), END]),
];

const pickName = (chance: Chance): string =>
  chance.pick([chance.pick(INHERITED), 'file[]', '_charset_', chance.pick(NAUGHTY).slice(0, 300)]);

const CELLS = [
  ['name', 'till_text'],
  ['Ana', 7],
];
const WORKBOOK = makeWorkbook(CELLS);

/** Returns a workbook in which some bytes are wrong. */
function makeSpoiledWorkbook(chance: Chance): Buffer {
  const bytes = Buffer.from(WORKBOOK);
  for (let left = 1 + chance.int(5); left > 0; left -= 1) bytes[chance.int(bytes.length)] = chance.int(256);
  return bytes;
}

/** Returns a workbook with a part that is wrong, missing, or of another length than it declares. */
function makePatchedWorkbook(chance: Chance): Buffer {
  const parts = makeWorkbookParts(CELLS);
  const victim = chance.int(parts.length);
  const changes = [
    parts.toSpliced(victim, 1),
    parts.map((part, index) => (index === victim ? { ...part, data: chance.pick(HOSTILE_BODIES).raw } : part)),
    parts.map((part, index) => (index === victim ? { ...part, data: String(part.data).slice(0, 60) } : part)),
    parts.map((part, index) => (index === victim ? { ...part, claims: { inflated: chance.int(2 ** 31) } } : part)),
    parts.map((part, index) => (index === victim ? { ...part, path: chance.pick(NAUGHTY).slice(0, 200) } : part)),
  ];
  return makeZip(chance.pick(changes));
}

/** Files that are no sheets, and sheets with false declarations. */
const FILES: ((chance: Chance) => Buffer)[] = [
  () => Buffer.alloc(0),
  () => Buffer.alloc(5_000),
  () => Buffer.from('\ufeff'),
  () => Buffer.from('"name'),
  () => Buffer.from('name\n"Ana\n'),
  () => Buffer.from('name,name\nAna,Bea\n'),
  () => Buffer.from(`name\n${'"'.repeat(100_000)}`),
  () => Buffer.from(`name\n${','.repeat(100_000)}\n`),
  () => Buffer.from(`${Array.from({ length: 20_000 }, (_, index) => `c${index}`).join()}\n`),
  () => Buffer.from('name\n'.repeat(20_000)),
  () => Buffer.from('name\nJos\u00e9\n', 'latin1'),
  () => Buffer.from('\ufeffname\nAna\n', 'utf16le'),
  () => Buffer.from('PK\u0003\u0004', 'latin1'),
  () => Buffer.concat([Buffer.from('PK\u0005\u0006', 'latin1'), Buffer.alloc(18)]),
  () => Buffer.concat([Buffer.from('PK\u0005\u0006', 'latin1'), Buffer.alloc(18, 0xff)]),
  (chance) => Buffer.from(`name,till_text\n${chance.pick(NAUGHTY)},${chance.pick(NAUGHTY)}\n`),
  (chance) => chance.pick(HOSTILE_BODIES).raw,
  () => WORKBOOK,
  (chance) =>
    makeWorkbook([
      ['name', 'till_text'],
      [chance.pick(NAUGHTY), chance.pick(NAUGHTY)],
    ]),
  (chance) => WORKBOOK.subarray(0, chance.int(WORKBOOK.length)),
  makeSpoiledWorkbook,
  makeSpoiledWorkbook,
  makePatchedWorkbook,
  makePatchedWorkbook,
];

export function buildFormRequest(gun: RequestContext): FuzzRequest {
  const { chance, scene } = gun;
  const operation = chance.pick(gun.operations.filter(({ form }) => form));
  const caller = chance.pick(scene.callers.filter(({ full }) => full));
  const kind = chance.int(10);
  if (kind < 4)
    return buildOperationRequest(gun, operation, { idea: 'sheet', caller, ...generateBody(gun, operation) });
  if (kind < 7) {
    const body = Buffer.concat([buildPart(FILE, chance.pick(FILES)(chance)), END]);
    return buildOperationRequest(gun, operation, { idea: 'hostile sheet', caller, body, headers: FORM_TYPE });
  }
  const shot = buildOperationRequest(gun, operation, {
    idea: 'hostile form',
    caller,
    body: chance.pick(HOSTILE)(chance),
    headers: FORM_TYPE,
  });
  // Some of these forms are valid after all, but their table may be deleted (404), or the company's queue of imports may be full (409). A key
  // has no picture of its own (403).
  return { ...shot, statuses: [201, 400, 403, 404, 409, 413, 415] };
}
