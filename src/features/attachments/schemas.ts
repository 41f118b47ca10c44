import { Type, type Static } from 'typebox';
import { FILE_TYPES, listFormats } from '../../platform/work/media/formats.ts';
import { FilePart } from '../../platform/http/multipart.ts';
import { pageQuery, pageSchema } from '../../platform/store/paging.ts';
import { define, oneOf, recordId, ref, strict, Timestamp } from '../../platform/values/schema.ts';

const Meta = Type.Object({
  mimeType: Type.String({ description: 'The media type that the contents have' }),
  size: Type.Optional(Type.Integer({ description: 'The bytes of the file' })),
  fileName: Type.String({ description: 'The name that the caller gave the file' }),
  resourceUrl: Type.String({ description: 'The same as `external_url`' }),
  sha256: Type.Optional(Type.String({ description: 'The hash of the contents, in hex' })),
  width: Type.Optional(Type.Integer({ description: 'Of a picture or a video, in points' })),
  height: Type.Optional(Type.Integer({ description: 'Of a picture or a video, in points' })),
  duration: Type.Optional(Type.Number({ description: 'Of sound or a video, in seconds' })),
  codecs: Type.Optional(Type.Array(Type.String(), { description: 'Of sound or a video: how its tracks are written' })),
  animated: Type.Optional(Type.Boolean({ description: 'True for a picture that moves' })),
  colors: Type.Optional(
    Type.String({ description: 'Of a picture whose colours are not 8-bit RGB or grey: `CMYK`, or `16-bit`' }),
  ),
  thumbnail: Type.Optional(
    Type.Object(
      {
        mimeType: Type.String(),
        size: Type.Integer(),
        url: Type.String(),
        width: Type.Integer({ description: 'In points' }),
        height: Type.Integer({ description: 'In points' }),
      },
      {
        description:
          'A small, upright picture of a picture that is larger than 320 points: of an animated one, its first. Its public link never expires',
      },
    ),
  ),
  converted: Type.Optional(
    Type.Object(
      { mimeType: Type.String(), size: Type.Integer(), url: Type.String() },
      {
        description:
          'The copy of the file that contacts get on channels that do not take its format. It is made by the first message that needs it',
      },
    ),
  ),
});

export const Attachment = define(
  'Attachment',
  Type.Object({
    _id: recordId('attachment'),
    company: recordId('company'),
    extension: Type.String({ description: 'The extension that fits the contents: jpg, pdf, …' }),
    external_url: Type.String({
      description: 'A public link that never expires; deprecated, prefer a signed link of `GET …/{id}/url`',
    }),
    file_type: oneOf(FILE_TYPES),
    storage_key: Type.String({ description: 'The name of the file in the store' }),
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
    oneOf(FILE_TYPES, {
      description:
        `What the file is: ${ACCEPTED}. Without it the contents decide, and a WEBP is an IMAGE. ` +
        'In front of the file it also limits how much of the file is read',
    }),
  ),
});
export type UploadForm = Static<typeof UploadForm>;

export const SignedUrl = define(
  'SignedUrl',
  Type.Object({
    url: Type.String({ description: 'Opens the file for everybody who has it' }),
    expires_at: Type.String({ ...Timestamp, description: 'From then on it opens nothing' }),
  }),
);
export type SignedUrl = Static<typeof SignedUrl>;

export const AttachmentParams = Type.Object({ id: recordId('attachment') });
export const AttachmentList = pageSchema(ref(Attachment));
export const AttachmentQuery = pageQuery('-createdAt', {
  file_type: Type.Optional(oneOf(FILE_TYPES, { description: 'Those of this type' })),
});
export type AttachmentQuery = Static<typeof AttachmentQuery>;
