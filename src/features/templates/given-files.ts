/** Checks the files that a stored template names, before anyone sends it. */
import { findNamedFiles, isAttachmentId, MOST_FILES } from '../../channels/templates/header.ts';
import { invalid } from '../../platform/values/errors.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { expectAttachment } from '../attachments/attachments.ts';
import type { GivenTemplate } from './schemas.ts';

/**
 * Throws for a file of a template that is no attachment of the company: a file at the network would be gone after a month. Whether the inbox
 * has the template is known only when it is sent. `path` is the place of the template in the request.
 */
export async function checkGivenFiles(
  read: TenantRead,
  template: GivenTemplate | null | undefined,
  path: string,
): Promise<void> {
  const components = `${path}.components`;
  const named = findNamedFiles(template?.components ?? []);
  if (named.length > MOST_FILES) throw invalid(components, `names more than ${MOST_FILES} files`);
  for (const { attachment, path: place } of named) {
    if (!isAttachmentId(attachment)) throw invalid(components + place, 'must be the id of an attachment');
    await expectAttachment(read, attachment, components + place);
  }
}
