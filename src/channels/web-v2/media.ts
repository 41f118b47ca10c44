/** The files that a web chat shows: those that every present browser displays or plays, and any document. */
import { MAX_BYTES } from '../../platform/work/media/formats.ts';
import type { MediaFormat } from '../media.ts';

const PICTURES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
const SOUNDS = ['audio/mpeg', 'audio/mp4', 'audio/aac', 'audio/ogg', 'audio/webm'];

export const WEB_MEDIA: readonly MediaFormat[] = [
  { contentType: 'IMAGE', mimeTypes: PICTURES, maxBytes: MAX_BYTES.IMAGE, maxCaption: null },
  { contentType: 'AUDIO', mimeTypes: SOUNDS, maxBytes: MAX_BYTES.AUDIO, maxCaption: null },
  { contentType: 'VIDEO', mimeTypes: ['video/mp4'], maxBytes: MAX_BYTES.VIDEO, maxCaption: null },
  { contentType: 'DOCUMENT', mimeTypes: null, maxBytes: MAX_BYTES.DOCUMENT, maxCaption: null },
  { contentType: 'STICKER', mimeTypes: ['image/webp'], maxBytes: MAX_BYTES.STICKER, maxCaption: 0 },
];
