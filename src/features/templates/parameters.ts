/** Checks the parameters of a template before any recipient is known. */
import type { Channel } from '../../channels/channel.ts';
import { checkParameters, type ApprovedTemplate } from '../../channels/templates/compose.ts';
import type { GivenComponent } from '../../channels/templates/given.ts';
import { findHeaderFiles } from '../../channels/templates/header.ts';
import type { Kit } from '../../kit.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { expectAttachment } from '../attachments/attachments.ts';
import { convertForHeader } from '../messages/convert-file.ts';
import type { Header } from '../messages/files.ts';
import { makeFaultsError } from './faults.ts';

/** The parameters for a template of an inbox. */
interface Given {
  channel: Channel;
  template: ApprovedTemplate;
  given: readonly GivenComponent[];
  /** The place of the components in the request. */
  path: string;
}

/**
 * Throws what does not fit the template, or UNKNOWN_REFERENCE for an attachment that the company does not have. Returns the attachments that
 * the parameters give to headers, converted if the channel needs that.
 */
export async function checkGiven(
  kit: Kit,
  tx: TenantRead,
  { channel, template, given, path }: Given,
): Promise<Header[]> {
  const headers: Header[] = [];
  for (const { attachment, ...file } of findHeaderFiles(given)) {
    const place = { ...file, path: `${path}${file.path}` };
    headers.push({ attachment: await expectAttachment(tx, attachment, place.path), place });
  }
  const faults = checkParameters(template, given);
  if (faults.length > 0) throw makeFaultsError(faults, path);
  const converted: Header[] = [];
  for (const header of headers) converted.push(await convertForHeader(kit, channel, header));
  return converted;
}
