/** The links that open files: the permanent public one of an attachment, and signed ones that expire. */
import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Kit } from '../../kit.ts';
import { AppError, expectFound, notFound } from '../../platform/values/errors.ts';
import { answerWithFile } from '../../platform/store/files/answer.ts';
import { isId } from '../../platform/values/ids.ts';
import { FORMATS, type Format } from '../../platform/work/media/formats.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { findArrived, type Arrivals } from './arrivals.ts';
import { savedName } from './file-names.ts';
import { asCopy } from './copy.ts';
import { findByCopyLink, findByKey, findByLink, type AttachmentRow } from './queries.ts';

/** The kind of these files in the store of files. */
const KIND = 'attachments';

/** A new name in the store, which no one can guess. */
export const newStorageKey = (company: string): string => `${company}/${KIND}/${randomBytes(16).toString('hex')}`;

/** The secret part of a new public link: 256 random bits. */
export const newLink = (): string => randomBytes(32).toString('base64url');

export const publicUrl = (
  kit: Kit,
  { company, link, extension }: Pick<AttachmentRow, 'company' | 'link' | 'extension'>,
): string => `${kit.config.PUBLIC_URL}/files/${company}/${link}.${extension}`;

export interface PublicParams {
  company: string;
  /** The secret part, with or without an extension. */
  link: string;
}

/** What serving a link needs: the services of the process, and the wait for files that are still on their way. */
export interface Serving {
  kit: Kit;
  arrivals: Arrivals;
}

export async function servePublicLink(
  serving: Serving,
  request: FastifyRequest<{ Params: PublicParams }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { kit } = serving;
  const { company, link } = request.params;
  // The extension in a link is ignored, because a record may get another extension when its file arrives.
  const [, secret] = /^([\w-]{43})(?:\.[a-z0-9]{1,5})?$/.exec(link) ?? [];
  const row = secret === undefined ? null : await findIn(kit, company, (tx) => findLinked(tx, secret));
  return serve(serving, request, reply, expectFound(row));
}

/** Finds the attachment behind a link, with the file of its copy if the link is that of a copy. */
async function findLinked(tx: TenantRead, link: string): Promise<AttachmentRow | null> {
  const linked = await findByLink(tx, link);
  if (linked) return linked;
  const row = await findByCopyLink(tx, link);
  const copy = row && Object.values(row.copies).find((each) => each.link === link);
  return copy ? asCopy(row, copy) : null;
}

export interface SignedParams {
  company: string;
  kind: string;
  name: string;
}

export async function serveSignedLink(
  serving: Serving,
  request: FastifyRequest<{ Params: SignedParams; Querystring: Record<string, unknown> }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { kit } = serving;
  const { company, kind, name } = request.params;
  const { expires, signature } = request.query;
  const key = `${company}/${kind}/${name}`;
  const isText = typeof expires === 'string' && typeof signature === 'string';
  if (kind !== KIND || !isText || !kit.files.isSigned(key, { expires, signature })) throw notFound();
  const row = expectFound(await findIn(kit, company, (tx) => findByKey(tx, key)));
  return serve(serving, request, reply, row);
}

/** Finds a file of a company. Returns null for a company that is suspended or does not exist, so its links open nothing. */
async function findIn<T>(kit: Kit, company: string, find: (tx: TenantRead) => Promise<T | null>): Promise<T | null> {
  if (!isId(company) || !(await kit.access.companyExists(company))) return null;
  return find(kit.database.read(company));
}

// Browsers save documents instead of showing them, because the content of a PDF or a text cannot be trusted. The same holds for a file
// that a contact has sent in a format that the platform does not know.
const SHOWN = new Set(
  Object.values<Format>(FORMATS).flatMap(({ fileTypes, mimeType }) => (fileTypes[0] === 'DOCUMENT' ? [] : mimeType)),
);

async function serve(
  { kit, arrivals }: Serving,
  request: FastifyRequest,
  reply: FastifyReply,
  found: AttachmentRow,
): Promise<FastifyReply> {
  const read = kit.database.read(found.company);
  const row = found.state === 'PENDING' ? expectFound(await findArrived(read, arrivals, { id: found._id })) : found;
  if (row.state === 'FAILED') throw new AppError('FILE_GONE', row.failure ?? undefined);
  const { bytes, sha256 } = row;
  if (bytes === null || sha256 === null)
    throw new AppError('UNAVAILABLE', 'The file is still being fetched', [], { 'retry-after': '5' });
  return answerWithFile(request, reply, {
    bytes,
    sha256,
    mimeType: row.mime_type,
    fileName: savedName(row.file_name, row.extension),
    isShown: SHOWN.has(row.mime_type),
    open: async (range) => {
      await kit.downloads.admit(row.company, reply);
      const content = await kit.files.get(row.storage_key, range);
      if (content) return kit.downloads.inPace(row.company, content.body);
      kit.log.error({ storage_key: row.storage_key }, 'attachments: a file is missing in the store');
      throw notFound();
    },
  });
}
