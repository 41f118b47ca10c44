/** What the description of the API says of the files that each channel sends. */
import type { MediaFormat } from '../../channels/media.ts';
import { CHANNEL_MEDIA } from '../../channels/registry.ts';
import type { FileType } from '../../platform/work/media/formats.ts';

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;

/** Returns a sentence for each channel that sends this type of file. */
export const describeFormats = (fileType: FileType): string =>
  CHANNEL_MEDIA.flatMap(({ channel, media }) => {
    const format = media.find(({ contentType }) => contentType === fileType);
    return format
      ? `\`${channel}\` accepts ${describeTypes(format)} ${describeSize(format)}, ${describeCaption(format)}.`
      : [];
  }).join(' ');

function describeTypes({ mimeTypes, codecs = [] }: MediaFormat): string {
  if (mimeTypes === null) return 'any type';
  const byType = new Map(codecs);
  return mimeTypes
    .map((mimeType) => {
      const names = byType.get(mimeType);
      return names ? `${mimeType} (${names.join(' and ')})` : mimeType;
    })
    .join(', ');
}

function describeSize({ maxBytes, maxStillBytes = maxBytes }: MediaFormat): string {
  const still = maxStillBytes < maxBytes ? ` (${describeBytes(maxStillBytes)} unless animated)` : '';
  return `up to ${describeBytes(maxBytes)}${still}`;
}

const describeBytes = (bytes: number): string =>
  bytes < MEGABYTE ? `${bytes / KILOBYTE} kB` : `${bytes / MEGABYTE} MB`;

function describeCaption({ maxCaption }: MediaFormat): string {
  if (maxCaption === null) return 'with a caption';
  return maxCaption === 0 ? 'without a caption' : `with a caption of ${maxCaption} characters`;
}
