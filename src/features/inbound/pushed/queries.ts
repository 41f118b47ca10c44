import { one } from '../../../platform/store/db.ts';
import type { SystemTx } from '../../../platform/store/tenant.ts';

export interface FileNames {
  company: string;
  inbox: string;
  /** The ids that the messages of the files may have. */
  externalIds: string[];
  /** The ids by which the files are found. */
  networkIds: string[];
}

/** Returns whether a stored message has one of these files. A message that was stored before has the files that it got then. */
export async function hasFiles(tx: SystemTx, { company, inbox, externalIds, networkIds }: FileNames): Promise<boolean> {
  const { found } = await one<{ found: boolean }>(tx, {
    name: 'inbound.hasPushedFiles',
    text: `select exists (select from messages where company_id = $1 and inbox_id = $2 and external_id = any($3)
        and media->'network'->>'networkId' = any($4)) as found`,
    values: [company, inbox, externalIds, networkIds],
  });
  return found;
}
