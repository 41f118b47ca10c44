/** What users change of their own record, whatever their role. */
import type { Kit } from '../../kit.ts';
import { forbidden, invalid } from '../../platform/errors.ts';
import type { Tenant, TenantRead } from '../../platform/tenant.ts';
import { expectAttachment } from '../attachments/attachments.ts';
import { publicUrl } from '../attachments/links.ts';
import type { User } from '../users/schemas.ts';
import { changeOwnRecord } from '../users/users.ts';
import type { ProfileUpdate } from './schemas.ts';

// Pages load the picture beside each name, and visitors of a web chat load it over a mobile network.
const PICTURE_MAX_BYTES = 1_000_000;

export function updateProfile(kit: Kit, tenant: Tenant, { name, picture }: ProfileUpdate): Promise<User> {
  const { principal } = tenant;
  if (principal.type !== 'user') throw forbidden('authorization', 'A key has no profile; only a user has one');
  return tenant.tx(async (tx) => {
    tx.makes(principal.id);
    return changeOwnRecord(tx, principal.id, {
      ...(name === undefined ? {} : { name }),
      ...(picture === undefined ? {} : { avatar_url: picture && (await findPictureUrl(kit, tx, picture)) }),
    });
  });
}

async function findPictureUrl(kit: Kit, tx: TenantRead, id: string): Promise<string> {
  const file = await expectAttachment(tx, id, 'picture');
  if (file.file_type !== 'IMAGE') throw invalid('picture', 'has to be a picture: JPEG, PNG or WEBP');
  if (file.state !== 'READY' || file.bytes === null) throw invalid('picture', 'is a file that is not there yet');
  if (file.bytes > PICTURE_MAX_BYTES) throw invalid('picture', 'is larger than 1 MB');
  return publicUrl(kit, file);
}
