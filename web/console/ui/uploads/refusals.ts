/** Why a file is not uploaded, in one sentence that names it. */
import { isParleyError } from '@parley/sdk';
import { getOwnProperty } from '../../../browser/own-property.ts';
import { formatBytes } from '../../texts/formats.ts';
import { getTexts } from '../../texts/texts.ts';
import { explainError } from '../problem.ts';
import { MEGABYTE, MOST_BYTES } from './most-bytes.ts';
import { UPLOADS } from './texts.ts';

const findMost = (type: string): number =>
  getOwnProperty<number>(MOST_BYTES, type.split('/')[0] ?? '') ?? MOST_BYTES.other;

/** A limit of 5 × 1,024 × 1,024 bytes is known as 5 MB. */
const writeLimit = (bytes: number): string =>
  formatBytes(bytes >= MEGABYTE ? (bytes / MEGABYTE) * 1e6 : (bytes / 1024) * 1e3);

/** Says that a file is too large before it is uploaded; null for one that is not. */
export function findTooLarge({ name, size, type }: File): string | null {
  const most = findMost(type);
  return size > most ? getTexts(UPLOADS).tooLarge(name, writeLimit(most)) : null;
}

/** The platform has looked at the file and does not accept it, so another attempt ends the same way. */
export const isRefused = (error: unknown): boolean =>
  isParleyError(error) && (error.code === 'VALIDATION_FAILED' || error.code === 'BODY_TOO_LARGE');

export function explainUpload(name: string, error: unknown): string {
  const texts = getTexts(UPLOADS);
  const [fault] = isParleyError(error) ? (error.problem?.errors ?? []) : [];
  if (fault?.code === 'TOO_LARGE') return texts.tooLarge(name, writeLimit(Number(/\d+/.exec(fault.message)?.[0])));
  if (fault?.code === 'UNSUPPORTED_FORMAT') return explainFormat(name, fault.message);
  if (fault?.code === 'EMPTY') return texts.isEmpty(name);
  return explainError(error);
}

/** A file whose name has an accepted format, but whose contents have none, is damaged. */
function explainFormat(name: string, message: string): string {
  const texts = getTexts(UPLOADS);
  const formats = message.slice(message.indexOf(':') + 1).trim();
  const extension = (/\.([^.]+)$/.exec(name)?.[1] ?? '').toUpperCase().replace('JPEG', 'JPG');
  return formats.split(', ').includes(extension) ? texts.damaged(name, extension) : texts.wrongFormat(name, formats);
}
