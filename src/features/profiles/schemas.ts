import { Type, type Static } from 'typebox';
import { define, Name, nullable, recordId, strict } from '../../platform/schema.ts';

export const ProfileUpdate = define(
  'ProfileUpdate',
  Type.Partial(
    strict({
      name: Name,
      picture: nullable(
        recordId('attachment', {
          description:
            'A JPEG, PNG or WEBP of at most 1 MB, whose public link becomes the `avatar_url`; null removes it',
        }),
      ),
    }),
    { additionalProperties: false },
  ),
);
export type ProfileUpdate = Static<typeof ProfileUpdate>;
