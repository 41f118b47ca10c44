/** The files that the network takes, with its limits: https://developers.facebook.com/docs/whatsapp/cloud-api/reference/media */
import type { MediaFormat } from '../media.ts';
import { declareLimit } from '../../platform/values/limits.ts';

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;
const MAX_CAPTION = declareLimit(1024, {
  topic: 'Messages',
  what: 'Caption on WhatsApp',
  unit: 'characters',
  beyond: '400',
});
const H264_AND_AAC = ['avc', 'aac'];

export const WAP_MEDIA = [
  {
    contentType: 'IMAGE',
    mimeTypes: ['image/jpeg', 'image/png'],
    plainColors: true,
    maxBytes: 5 * MEGABYTE,
    maxCaption: MAX_CAPTION,
  },
  {
    contentType: 'AUDIO',
    mimeTypes: ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg'],
    codecs: [
      ['audio/mp4', ['aac']],
      ['audio/ogg', ['opus']],
    ],
    maxBytes: 16 * MEGABYTE,
    maxCaption: 0,
  },
  {
    contentType: 'VIDEO',
    mimeTypes: ['video/mp4', 'video/3gpp'],
    codecs: [
      ['video/mp4', H264_AND_AAC],
      ['video/3gpp', H264_AND_AAC],
    ],
    maxBytes: 16 * MEGABYTE,
    maxCaption: MAX_CAPTION,
  },
  {
    contentType: 'DOCUMENT',
    mimeTypes: null,
    headerMimeTypes: ['application/pdf'],
    maxBytes: 100 * MEGABYTE,
    maxCaption: MAX_CAPTION,
  },
  {
    contentType: 'STICKER',
    mimeTypes: ['image/webp'],
    maxBytes: 500 * KILOBYTE,
    maxStillBytes: 100 * KILOBYTE,
    maxCaption: 0,
  },
] as const satisfies readonly MediaFormat[];
