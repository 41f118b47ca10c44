/** The files that the gateway sends. It may hand them to WhatsApp Web or to the Cloud API, so these are the formats that both take. */
import type { MediaFormat } from '../media.ts';
import { declareLimit } from '../../platform/values/limits.ts';

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;
const MAX_CAPTION = declareLimit(1024, {
  topic: 'Messages',
  what: 'Caption through a gateway (`PARTNER_API`)',
  unit: 'characters',
  beyond: '400',
});

export const PARTNER_MEDIA: readonly MediaFormat[] = [
  { contentType: 'IMAGE', mimeTypes: ['image/jpeg', 'image/png'], maxBytes: 5 * MEGABYTE, maxCaption: MAX_CAPTION },
  {
    contentType: 'AUDIO',
    mimeTypes: ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg'],
    maxBytes: 16 * MEGABYTE,
    maxCaption: 0,
  },
  { contentType: 'VIDEO', mimeTypes: ['video/mp4', 'video/3gpp'], maxBytes: 16 * MEGABYTE, maxCaption: MAX_CAPTION },
  // The gateway takes a request of 136 MB, in which a file is a third larger.
  { contentType: 'DOCUMENT', mimeTypes: null, maxBytes: 64 * MEGABYTE, maxCaption: MAX_CAPTION },
  { contentType: 'STICKER', mimeTypes: ['image/webp'], maxBytes: 500 * KILOBYTE, maxCaption: 0 },
];
