/** The formats of attachments that the API accepts, and how large a file of each type may be. */

export const FILE_TYPES = ['IMAGE', 'AUDIO', 'VIDEO', 'DOCUMENT', 'STICKER'] as const;
export type FileType = (typeof FILE_TYPES)[number];

const MEGABYTE = 1024 * 1024;

/** The most bytes of a file of each type, which are those of the messaging network. */
export const MAX_BYTES: Readonly<Record<FileType, number>> = {
  IMAGE: 5 * MEGABYTE,
  AUDIO: 16 * MEGABYTE,
  VIDEO: 16 * MEGABYTE,
  DOCUMENT: 100 * MEGABYTE,
  STICKER: 500 * 1024,
};

export interface Format {
  /** The name that people use for the format. */
  name: string;
  extension: string;
  mimeType: string;
  /** The types that a file of this format can have. The first one is its type when the caller names none. */
  fileTypes: readonly [FileType, ...FileType[]];
  /** The media types that the detection returns for the format; empty when another step recognises the format. */
  detectedAs: readonly string[];
}

const format = (
  [name, extension, mimeType]: [string, string, string],
  fileTypes: Format['fileTypes'],
  ...detectedAs: string[]
): Format => ({ name, extension, mimeType, fileTypes, detectedAs });

export const FORMATS = {
  JPG: format(['JPG', 'jpg', 'image/jpeg'], ['IMAGE'], 'image/jpeg'),
  PNG: format(['PNG', 'png', 'image/png'], ['IMAGE'], 'image/png', 'image/apng'),
  GIF: format(['GIF', 'gif', 'image/gif'], ['IMAGE'], 'image/gif'),
  WEBP: format(['WEBP', 'webp', 'image/webp'], ['IMAGE', 'STICKER'], 'image/webp'),
  MP3: format(['MP3', 'mp3', 'audio/mpeg'], ['AUDIO'], 'audio/mpeg'),
  OGG: format(['OGG', 'ogg', 'audio/ogg'], ['AUDIO'], 'audio/ogg', 'audio/ogg; codecs=opus'),
  AAC: format(['AAC', 'aac', 'audio/aac'], ['AUDIO'], 'audio/aac'),
  AMR: format(['AMR', 'amr', 'audio/amr'], ['AUDIO'], 'audio/amr'),
  // An MP4 without a picture is sound: AAC in its usual container, and what some browsers record.
  M4A: format(['AAC', 'm4a', 'audio/mp4'], ['AUDIO'], 'audio/mp4', 'audio/x-m4a'),
  // A WEBM without a picture is what browsers record.
  WEBM: format(['WEBM', 'webm', 'audio/webm'], ['AUDIO'], 'audio/webm', 'video/webm'),
  MP4: format(['MP4', 'mp4', 'video/mp4'], ['VIDEO'], 'video/mp4', 'video/x-m4v'),
  '3GP': format(['3GP', '3gp', 'video/3gpp'], ['VIDEO'], 'video/3gpp'),
  PDF: format(['PDF', 'pdf', 'application/pdf'], ['DOCUMENT'], 'application/pdf'),
  DOC: format(['DOC', 'doc', 'application/msword'], ['DOCUMENT']),
  DOCX: format(
    ['DOCX', 'docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['DOCUMENT'],
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ),
  XLS: format(['XLS', 'xls', 'application/vnd.ms-excel'], ['DOCUMENT']),
  XLSX: format(
    ['XLSX', 'xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    ['DOCUMENT'],
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ),
  PPT: format(['PPT', 'ppt', 'application/vnd.ms-powerpoint'], ['DOCUMENT']),
  TXT: format(['TXT', 'txt', 'text/plain'], ['DOCUMENT']),
} as const satisfies Record<string, Format>;
export type FormatName = keyof typeof FORMATS;

const NAMES = Object.keys(FORMATS) as FormatName[];
const DETECTED: ReadonlyMap<string, FormatName> = new Map(
  NAMES.flatMap((name) => FORMATS[name].detectedAs.map((mimeType) => [mimeType, name] as const)),
);

/** Returns the format that the detection has found; null when it is none of those that the API accepts. */
export const findFormat = (detected: string): FormatName | null => DETECTED.get(detected) ?? null;

/** The most bytes of a file of this format, whatever its type. */
export const mostBytes = ({ fileTypes }: Format): number => Math.max(...fileTypes.map((type) => MAX_BYTES[type]));

/** The formats whose text can be read. */
export const TEXT_FORMATS = ['PDF', 'DOCX', 'TXT'] as const satisfies FormatName[];
export type TextFormat = (typeof TEXT_FORMATS)[number];

/** Texts that other programs open, by their extensions. Those that a browser runs (HTML, SVG) are not among them: they stay plain text. */
const TEXT_KINDS: ReadonlyMap<string, string> = new Map([
  ['csv', 'text/csv'],
  ['xml', 'application/xml'],
  ['vcf', 'text/vcard'],
  ['ics', 'text/calendar'],
  ['json', 'application/json'],
  ['log', 'text/plain'],
  ['md', 'text/markdown'],
]);

/** Returns the format of a file whose text can be read; null for any other one. */
export const findTextFormat = (extension: string): TextFormat | null =>
  TEXT_KINDS.has(extension) ? 'TXT' : (TEXT_FORMATS.find((name) => FORMATS[name].extension === extension) ?? null);

type Named = Pick<Format, 'extension' | 'mimeType'>;

const readExtension = (fileName: string): string => /\.([a-z0-9]{1,5})$/i.exec(fileName)?.[1]?.toLowerCase() ?? '';

/** What a text is by its name: its contents do not tell a table from a letter. Null for a name that says nothing. */
function findTextKind(fileName: string): Named | null {
  const extension = readExtension(fileName);
  const mimeType = TEXT_KINDS.get(extension);
  return mimeType === undefined ? null : { extension, mimeType };
}

/** The extension and the media type of a file with contents of this format. */
export const nameFormat = (found: Format, fileName: string): Named =>
  (found.extension === FORMATS.TXT.extension ? findTextKind(fileName) : null) ?? found;

/** The media type of a text for networks that take only plain texts; any other type stays. */
export const asPlainText = (mimeType: string): string =>
  [...TEXT_KINDS.values()].includes(mimeType) ? FORMATS.TXT.mimeType : mimeType;

/** The extension of a file that is announced with this media type and name, before its contents are known; null when neither says it. */
export function guessExtension(mimeType: string | null, fileName: string | null): string | null {
  const kind = findTextKind(fileName ?? '')?.extension;
  const known = Object.values<Format>(FORMATS).find((each) => each.mimeType === mimeType)?.extension;
  const text = [...TEXT_KINDS].find(([, type]) => type === mimeType)?.[0];
  return kind ?? known ?? text ?? (readExtension(fileName ?? '') || null);
}

/** The media type that the extension of a name stands for. */
export const guessMediaType = (fileName: string): string =>
  findTextKind(fileName)?.mimeType ??
  Object.values<Format>(FORMATS).find(({ extension }) => extension === readExtension(fileName))?.mimeType ??
  'application/octet-stream';

/** The names of the accepted formats, for people: of one type, or of all. */
export function listFormats(fileType?: FileType): string {
  const fitting = Object.values<Format>(FORMATS).filter(({ fileTypes }) => !fileType || fileTypes.includes(fileType));
  return [...new Set(fitting.map(({ name }) => name))].join(', ');
}
