/** The files that a web chat shows: those that every present browser displays or plays, and any document. */
import { MAX_BYTES } from '../../platform/work/media/formats.ts';
import type { MediaFormat } from '../media.ts';

const MAX_CAPTION = 4_096;

const PICTURES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
const SOUNDS = ['audio/mpeg', 'audio/mp4', 'audio/aac', 'audio/ogg', 'audio/webm'];

export const WEB_MEDIA: readonly MediaFormat[] = [
  { contentType: 'IMAGE', mimeTypes: PICTURES, maxBytes: MAX_BYTES.IMAGE, maxCaption: MAX_CAPTION },
  { contentType: 'AUDIO', mimeTypes: SOUNDS, maxBytes: MAX_BYTES.AUDIO, maxCaption: MAX_CAPTION },
  { contentType: 'VIDEO', mimeTypes: ['video/mp4'], maxBytes: MAX_BYTES.VIDEO, maxCaption: MAX_CAPTION },
  { contentType: 'DOCUMENT', mimeTypes: null, maxBytes: MAX_BYTES.DOCUMENT, maxCaption: MAX_CAPTION },
  { contentType: 'STICKER', mimeTypes: ['image/webp'], maxBytes: MAX_BYTES.STICKER, maxCaption: 0 },
];
