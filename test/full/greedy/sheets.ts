/** Greedy requests with sheets that are small to send and expensive to read. */
import { randomBytes } from 'node:crypto';
import { constants, deflateRawSync } from 'node:zlib';
import { makeWorkbookParts, makeZip, type ZipItem } from '../../support/sheets.ts';
import { encodeSheetForm, type GreedyBehaviour, type EncodedForm, type GreedyRun } from './play.ts';

const MEGABYTE = 1024 * 1024;
// The bytes of each megabyte that do not compress, because a workbook may inflate to only 100 times its size.
const RAW_BYTES = 7_800;

/** Uploads a sheet again and again; while ten imports wait, the platform refuses the upload, and it is repeated. */
async function uploadRepeatedly(play: GreedyRun, lanes: number, form: EncodedForm): Promise<void> {
  await play.inLanes(lanes, async () => void (await play.ask('/v1/contacts/import', { form })));
}

/** Returns a CSV with cells of many empty items: JSON inside CSV quotes, five characters for each item. */
function makePoisonSheet(play: GreedyRun): string {
  const cell = `"[${Array.from({ length: play.scaled(64_000) }, () => '""""').join(',')}]"`;
  const rows = Array.from({ length: play.scaled(20) }, (_, n) => `Ana ${n},${cell}`);
  return `external_id,tags\n${rows.join('\n')}\n`;
}

export const POISON_CELLS: GreedyBehaviour = {
  act: async (play) => uploadRepeatedly(play, 2, await encodeSheetForm('poison.csv', makePoisonSheet(play))),
};

/** Compresses megabytes of a repeated text between the texts `before` and `after`, without holding them in memory. */
function compressRepeated(
  [before, after]: [string, string],
  megabytes: number,
  fill: (bytes: number) => string,
): ZipItem['packed'] {
  const pack = (text: string): Buffer => deflateRawSync(text, { finishFlush: constants.Z_FULL_FLUSH });
  const chunk = fill(MEGABYTE);
  const packed = pack(chunk);
  const bytes = Buffer.concat([
    pack(before),
    ...Array.from({ length: megabytes }, () => packed),
    deflateRawSync(after),
  ]);
  return { bytes, crc: 0, inflated: before.length + megabytes * chunk.length + after.length };
}

const makeNoise = (): string =>
  randomBytes(RAW_BYTES)
    .toString('hex')
    .slice(0, RAW_BYTES * 2);

/** Returns a workbook of two rows whose part at `path` is replaced. */
function replaceWorkbookPart(path: string, packed: ZipItem['packed']): Buffer {
  const parts = makeWorkbookParts([
    ['name', 'email'],
    ['Ana', 'ana@example.com'],
  ]);
  return makeZip(parts.map((part) => (part.path === path && packed ? { path, data: '', packed } : part)));
}

export const STRING_BOMBS: GreedyBehaviour = {
  act: async (play) => {
    const text = `<si><t>${'a'.repeat(1_000)}</t></si>`;
    const fill = (bytes: number): string =>
      `<si><t>${makeNoise()}</t></si>${text.repeat(Math.floor((bytes - 2 * RAW_BYTES - 20) / text.length))}`;
    // The column titles come first. All texts together are slightly below the 128 MB that a workbook may have.
    const frame: [string, string] = ['<sst><si><t>name</t></si><si><t>email</t></si><si><t>Ana</t></si>', '</sst>'];
    const bomb = replaceWorkbookPart('xl/sharedStrings.xml', compressRepeated(frame, play.scaled(126), fill));
    await uploadRepeatedly(play, play.scaled(24), await encodeSheetForm('texts.xlsx', bomb));
  },
};

export const EMPTY_ROWS: GreedyBehaviour = {
  act: async (play) => {
    const header = '<row r="1"><c t="inlineStr"><is><t>external_id</t></is></c></row>';
    const person = '<row><c t="inlineStr"><is><t>Ana</t></is></c></row>';
    const fill = (bytes: number): string =>
      `<!--${makeNoise()}-->${'<row></row>'.repeat(Math.floor((bytes - 2 * RAW_BYTES - 20) / 11))}`;
    const frame: [string, string] = [`<worksheet><sheetData>${header}`, `${person}</sheetData></worksheet>`];
    const sheet = replaceWorkbookPart('xl/worksheets/sheet2.xml', compressRepeated(frame, play.scaled(460), fill));
    await uploadRepeatedly(play, 2, await encodeSheetForm('empty.xlsx', sheet));
  },
};
