import { Type, type Static } from 'typebox';
import { FILE_TYPES, listFormats } from '../../platform/work/media/formats.ts';
import { FilePart } from '../../platform/http/multipart.ts';
import { pageQuery, pageSchema } from '../../platform/store/paging.ts';
import { define, oneOf, recordId, ref, strict, Timestamp, plain } from '../../platform/values/schema.ts';

const Meta = plain.object('What the platform has found out about the file', {
  mimeType: plain.text('The media type that the contents have'),
  size: Type.Optional(plain.integer('The bytes of the file')),
  fileName: plain.text('The name that the caller gave the file'),
  resourceUrl: plain.text('The same as `external_url`'),
  sha256: Type.Optional(plain.text('The hash of the contents, in hex')),
  width: Type.Optional(plain.integer('Of a picture or a video, in points')),
  height: Type.Optional(plain.integer('Of a picture or a video, in points')),
  duration: Type.Optional(Type.Number({ description: 'Of sound or a video, in seconds' })),
  codecs: Type.Optional(Type.Array(Type.String(), { description: 'Of sound or a video: how its tracks are written' })),
  animated: Type.Optional(plain.flag('True for a picture that moves')),
  colors: Type.Optional(plain.text('Of a picture whose colours are not 8-bit RGB or grey: `CMYK`, or `16-bit`')),
  thumbnail: Type.Optional(
    plain.object(
      'A small, upright picture of a picture that is larger than 320 points: of an animated one, its first. Its public link never expires',
      {
        mimeType: plain.text('The media type'),
        size: plain.integer('How many bytes it has'),
        url: plain.text('The public address of the thumbnail'),
        width: plain.integer('In points'),
        height: plain.integer('In points'),
      },
    ),
  ),
  converted: Type.Optional(
    plain.object(
      'The copy of the file that contacts get on channels that do not take its format. It is made by the first message that needs it',
      {
        mimeType: plain.text('The media type'),
        size: plain.integer('How many bytes it has'),
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
    extension: plain.text('The extension that fits the contents: jpg, pdf, …'),
    external_url: plain.text('A public link that never expires; deprecated, prefer a signed link of `GET …/{id}/url`'),
    file_type: oneOf(FILE_TYPES, 'What kind of file it is'),
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
      `What the file is: ${ACCEPTED}. Without it the contents decide, and a WEBP is an IMAGE. ` +
        'In front of the file it also limits how much of the file is read',
    ),
  ),
});
export type UploadForm = Static<typeof UploadForm>;

export const SignedUrl = define(
  'SignedUrl',
  Type.Object({
    url: plain.text('Opens the file for everybody who has it'),
    expires_at: Type.String({ ...Timestamp, description: 'From then on it opens nothing' }),
  }),
);
export type SignedUrl = Static<typeof SignedUrl>;

export const AttachmentParams = Type.Object({ id: recordId('attachment') });
export const AttachmentList = pageSchema(ref(Attachment));
export const AttachmentQuery = pageQuery('-createdAt', {
  file_type: Type.Optional(oneOf(FILE_TYPES, 'Those of this type')),
});
export type AttachmentQuery = Static<typeof AttachmentQuery>;
