/** Prepares an item for the search: its text is split into passages, and each passage gets a vector. */
import type { Kit } from '../../kit.ts';
import { bufferSource } from '../../platform/store/byte-source.ts';
import { AppError } from '../../platform/values/errors.ts';
import { findTextFormat, type TextFormat } from '../../platform/work/media/formats.ts';
import type { FileReading } from '../../platform/work/media/reading.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { expectAttachment } from '../attachments/attachments.ts';
import { withFile } from '../attachments/read-file.ts';
import { chooseEmbedder } from './embedder.ts';
import { extractPassages } from './extract/extractor.ts';
import {
  insertPassages,
  insertVectors,
  listPassages,
  lockRevision,
  publishRevision,
  replaceModel,
  updateProgress,
  type ItemRevision,
  type StoredPassage,
  type StoredVectors,
} from './passage-queries.ts';
import { splitIntoPassages, type Passage } from './passages.ts';
import { adjustPassageCount } from './queries.ts';
import type { PageProgress } from './schemas.ts';
import type { ClaimedItem } from './turn-queries.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// The most passages of an item: some 500 pages.
const MAX_ITEM_PASSAGES = declareLimit(2_000, {
  topic: 'Knowledge',
  what: 'Passages per item',
  beyond: 'the item becomes FAILED',
});
// The longest text that this process splits itself: a longer one would keep its other work waiting.
const MAX_SPLIT_HERE = 50_000;
/** The most passages of all items of a company, because a search compares its question with the vectors of all of them. */
export const MAX_COMPANY_PASSAGES = declareLimit(20_000, {
  topic: 'Knowledge',
  what: 'Passages per company',
  beyond: 'the item becomes FAILED',
});
// How many vectors a row has. With those of the largest models a row has some 800 kB.
const VECTORS_PER_ROW = 64;

/** Why an item cannot be prepared, however often it is tried. The message is shown to callers. */
export class PreparationFault extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Makes the passages of an item and stores them, unless the item has changed meanwhile. Searches find the passages that the item had before
 * until all new ones are stored. An item whose passages are there already only gets vectors of the model that is used now.
 */
export async function prepareItem(kit: Kit, item: ClaimedItem, signal: AbortSignal): Promise<void> {
  const stored = { item: item._id, revision: item.revision };
  const isSplit = item.indexed_revision === item.revision;
  const passages = isSplit
    ? await listPassages(kit.database.read(item.company), stored)
    : await makePassages(kit, item, signal);
  const { model, embed } = chooseEmbedder(kit);
  const vectors = await embed(
    passages.map(({ headings, content }) => `${headings}\n${content}`),
    signal,
  );
  const prepared = { passages, model, rows: packVectors(vectors) };
  await kit.database.tenantTx(item.company, (tx) =>
    isSplit ? renewVectors(tx, stored, prepared) : storePassages(tx, stored, { ...prepared, language: item.language }),
  );
}

async function makePassages(kit: Kit, item: ClaimedItem, signal: AbortSignal): Promise<StoredPassage[]> {
  const passages = await readItemPassages(kit, item, signal);
  if (passages.length === 0) throw new PreparationFault('NO_TEXT', 'The text has no words.');
  if (passages.length > MAX_ITEM_PASSAGES)
    throw new PreparationFault('TOO_LONG', `The text makes more than ${MAX_ITEM_PASSAGES} passages.`);
  return passages.map(({ headings, content }) => ({ headings: [item.name, ...headings].join('\n'), content }));
}

async function readItemPassages(kit: Kit, item: ClaimedItem, signal: AbortSignal): Promise<Passage[]> {
  const { company, content, type, name, description, attachment } = item;
  if (content !== null && content.length <= MAX_SPLIT_HERE) return splitIntoPassages(content);
  if (content !== null) {
    const source = bufferSource(Buffer.from(content));
    return extract(kit, item, { owner: company, source, signal }, 'TXT');
  }
  // A file to send is found by what the company says about it.
  if (type === 'MEDIA') return splitIntoPassages(description || name);
  const row = await expectAttachment(kit.database.read(company), attachment ?? '', 'attachment');
  const format = findTextFormat(row.extension);
  if (!format) throw new PreparationFault('NO_TEXT', 'The text of this file cannot be read.');
  return withFile(kit, row, (reading) => extract(kit, item, { ...reading, signal }, format));
}

/** Has a child process read the text and split it. */
async function extract(kit: Kit, item: ClaimedItem, reading: FileReading, format: TextFormat): Promise<Passage[]> {
  const onProgress = (progress: PageProgress) => noteProgress(kit, item, progress);
  try {
    return await extractPassages(kit.readers, reading, { format, maxPassages: MAX_ITEM_PASSAGES, onProgress });
  } catch (error) {
    // Failure policy: what is wrong with the file is shown with the item; any other failure is tried again.
    const [fault] = error instanceof AppError && error.code === 'VALIDATION_FAILED' ? error.errors : [];
    throw fault ? new PreparationFault(fault.code, `The file ${fault.message}.`) : error;
  }
}

async function noteProgress(kit: Kit, { company, _id, revision }: ClaimedItem, progress: PageProgress): Promise<void> {
  await kit.database.tenantTx(company, (tx) => updateProgress(tx, { item: _id, revision }, progress));
}

interface Prepared {
  passages: StoredPassage[];
  model: string;
  rows: StoredVectors[];
}

async function storePassages(
  tx: TenantTx,
  stored: ItemRevision,
  { passages, model, rows, language }: Prepared & Pick<ClaimedItem, 'language'>,
): Promise<void> {
  const before = await lockRevision(tx, stored);
  if (!before) return;
  const library = await adjustPassageCount(tx, passages.length - before.chunk_count);
  if (library.passages > MAX_COMPANY_PASSAGES && passages.length > before.chunk_count)
    throw new PreparationFault('LIBRARY_FULL', `The company would have more than ${MAX_COMPANY_PASSAGES} passages.`);
  await insertPassages(tx, stored, language, passages);
  await insertVectors(tx, stored, model, rows);
  await publishRevision(tx, stored, { passages: passages.length, model });
}

async function renewVectors(tx: TenantTx, stored: ItemRevision, { model, rows }: Prepared): Promise<void> {
  const before = await lockRevision(tx, stored);
  if (!before) return;
  await replaceModel(tx, stored.item, model);
  if (before.embedding_model === model) return;
  await insertVectors(tx, stored, model, rows);
  // Searches load the new vectors when they see another version.
  await adjustPassageCount(tx, 0);
}

function packVectors(vectors: Float32Array[]): StoredVectors[] {
  const rows: StoredVectors[] = [];
  for (let firstPosition = 0; firstPosition < vectors.length; firstPosition += VECTORS_PER_ROW) {
    const some = vectors.slice(firstPosition, firstPosition + VECTORS_PER_ROW);
    rows.push({ firstPosition, dimensions: some[0]?.length ?? 0, vectors: Buffer.concat(some.map(toBytes)) });
  }
  return rows;
}

/** All processors on which the platform runs store the lowest byte first. */
const toBytes = ({ buffer, byteOffset, byteLength }: Float32Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
