/** What users change of their own record, whatever their role. */
import type { Kit } from '../../kit.ts';
import { invalid } from '../../platform/values/errors.ts';
import type { Tenant, TenantRead } from '../../platform/store/tenant.ts';
import { expectAttachment } from '../attachments/attachments.ts';
import { publicUrl } from '../attachments/links.ts';
import { takeFile, type Uploaded } from '../attachments/upload.ts';
import { expectUser } from '../users/expect-user.ts';
import type { User } from '../users/schemas.ts';
import { changeOwnRecord } from '../users/users.ts';
import type { ProfileUpdate } from './schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// Pages load the picture next to each name, and visitors of a web chat load it over a mobile network.
export const PICTURE_MAX_BYTES = declareLimit(1_000_000, {
  topic: 'Files',
  what: 'Profile picture',
  unit: 'bytes',
  beyond: '400',
});

const ONLY_USERS = 'Only users have a profile';

export function updateProfile(
  kit: Kit,
  tenant: Tenant,
  { name, signature, picture, availability }: ProfileUpdate,
): Promise<User> {
  const user = expectUser(tenant, ONLY_USERS);
  return tenant.tx(async (tx) => {
    tx.created(user);
    return changeOwnRecord(tx, user, {
      ...(name === undefined ? {} : { name }),
      ...(availability === undefined ? {} : { availability }),
      ...(signature === undefined ? {} : { signature }),
      ...(picture === undefined ? {} : { picture, avatar_url: picture && (await findPictureUrl(kit, tx, picture)) }),
    });
  });
}

/** Uploads a picture that only the user's own record shows: it goes with the next one. So no right to upload files is needed. */
export async function uploadPicture(
  kit: Kit,
  tenant: Tenant,
  { upload, signal }: Pick<Uploaded, 'upload' | 'signal'>,
): Promise<User> {
  const user = expectUser(tenant, ONLY_USERS);
  return takeFile(kit, tenant, { upload, body: { fileType: 'IMAGE' }, signal, isBound: true }, async (tx, row) => {
    tx.created(user);
    return changeOwnRecord(tx, user, { picture: row._id, avatar_url: publicUrl(kit, row) });
  });
}

async function findPictureUrl(kit: Kit, tx: TenantRead, id: string): Promise<string> {
  const file = await expectAttachment(tx, id, 'picture');
  if (file.file_type !== 'IMAGE') throw invalid('picture', 'must be a picture: JPEG, PNG or WEBP');
  if (file.state !== 'READY' || file.bytes === null) throw invalid('picture', 'is a file that has not arrived yet');
  if (file.bytes > PICTURE_MAX_BYTES) throw invalid('picture', 'is larger than 1 MB');
  return publicUrl(kit, file);
}
