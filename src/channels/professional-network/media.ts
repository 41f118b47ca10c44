/** The files that the network takes in messages. */
import type { MediaFormat } from '../media.ts';

/** The gateway takes 15 MB of attachments in a message. */
const MAX_BYTES = 15 * 1024 * 1024;

export const NETWORK_MEDIA: readonly MediaFormat[] = [
  {
    contentType: 'IMAGE',
    mimeTypes: ['image/jpeg', 'image/png', 'image/gif'],
    maxBytes: MAX_BYTES,
    maxCaption: null,
  },
  {
    contentType: 'AUDIO',
    mimeTypes: ['audio/mpeg', 'audio/mp4', 'audio/aac', 'audio/ogg'],
    maxBytes: MAX_BYTES,
    maxCaption: 0,
  },
  { contentType: 'VIDEO', mimeTypes: ['video/mp4'], maxBytes: MAX_BYTES, maxCaption: null },
  { contentType: 'DOCUMENT', mimeTypes: null, maxBytes: MAX_BYTES, maxCaption: null },
];
