import { Type, type Static } from 'typebox';
import { FILE_TYPES, listFormats } from '../../platform/work/media/formats.ts';
import { FilePart } from '../../platform/http/multipart.ts';
import { pageQuery, pageSchema } from '../../platform/store/paging.ts';
import { define, oneOf, recordId, ref, strict, Timestamp, plain } from '../../platform/values/schema.ts';

const Meta = plain.object('What the platform has detected about the file', {
  mimeType: plain.text('The media type of the contents'),
  size: Type.Optional(plain.integer('The bytes of the file')),
  fileName: plain.text('The name given by the caller'),
  resourceUrl: plain.text('The same as `external_url`'),
  sha256: Type.Optional(plain.text('The hash of the contents, in hex')),
  width: Type.Optional(plain.integer('Of a picture or video, in pixels')),
  height: Type.Optional(plain.integer('Of a picture or video, in pixels')),
  duration: Type.Optional(Type.Number({ description: 'Of audio or video, in seconds' })),
  codecs: Type.Optional(Type.Array(Type.String(), { description: 'Of audio or video: the codecs of its tracks' })),
  animated: Type.Optional(plain.flag('True for an animated picture')),
  colors: Type.Optional(plain.text('Of a picture whose colours are not 8-bit RGB or grey: `CMYK`, or `16-bit`')),
  thumbnail: Type.Optional(
    plain.object(
      'A small, upright copy of a picture larger than 320 pixels; of an animated one, its first frame. Its public link never expires',
      {
        mimeType: plain.text('The media type'),
        size: plain.integer('The size in bytes'),
        url: plain.text('The public address of the thumbnail'),
        width: plain.integer('In pixels'),
        height: plain.integer('In pixels'),
      },
    ),
  ),
  converted: Type.Optional(
    plain.object(
      "The copy of the file for channels that don't accept its format. It is made for the first message that needs it",
      {
        mimeType: plain.text('The media type'),
        size: plain.integer('The size in bytes'),
        url: plain.text('The public address of the converted file'),
      },
    ),
  ),
});

export const Attachment = define(
  'Attachment',
  Type.Object({
    _id: recordId('attachment'),
    company: recordId('company'),
    extension: plain.text('The extension for the contents: jpg, pdf, …'),
    external_url: plain.text('A public link that never expires; deprecated, prefer a signed link of `GET …/{id}/url`'),
    file_type: oneOf(FILE_TYPES, 'The kind of file'),
    storage_key: plain.text('The name of the file in the store'),
    meta: Meta,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Attachment = Static<typeof Attachment>;

const ACCEPTED = FILE_TYPES.map((type) => `${type} (${listFormats(type)})`).join(', ');

export const UploadForm = strict({
  file: FilePart,
  fileType: Type.Optional(
    oneOf(
      FILE_TYPES,
      `The type of the file: ${ACCEPTED}. By default the contents determine it, and a WEBP is an IMAGE. ` +
        'If it comes before the file, it also limits how much of the file is read',
    ),
  ),
});
export type UploadForm = Static<typeof UploadForm>;

export const SignedUrl = define(
  'SignedUrl',
  Type.Object({
    url: plain.text('Opens the file for anyone who has the link'),
    expires_at: Type.String({ ...Timestamp, description: 'When the link expires' }),
  }),
);
export type SignedUrl = Static<typeof SignedUrl>;

export const AttachmentParams = Type.Object({ id: recordId('attachment') });
export const AttachmentList = pageSchema(ref(Attachment));
export const AttachmentQuery = pageQuery('-createdAt', {
  file_type: Type.Optional(oneOf(FILE_TYPES, 'Only records of this type')),
});
export type AttachmentQuery = Static<typeof AttachmentQuery>;
