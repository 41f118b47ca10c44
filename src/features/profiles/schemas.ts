import { Type, type Static } from 'typebox';
import { FilePart } from '../../platform/http/multipart.ts';
import { signature, UserUpdate } from '../users/schemas.ts';
import { define, Name, nullable, recordId, strict, described } from '../../platform/values/schema.ts';

export const ProfileUpdate = define(
  'ProfileUpdate',
  Type.Partial(
    strict({
      name: Name,
      availability: UserUpdate.properties.availability,
      signature,
      picture: nullable(
        recordId(
          'attachment',
          'A JPEG, PNG or WEBP of at most 1 MB, whose public link becomes the `avatar_url`; null removes it',
        ),
      ),
    }),
    { additionalProperties: false },
  ),
);
export const PictureForm = strict({
  file: described(FilePart, 'A JPEG, PNG or WEBP of at most 1 MB'),
});

export type ProfileUpdate = Static<typeof ProfileUpdate>;
