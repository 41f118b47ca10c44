import { oneValue } from '../../../platform/store/db.ts';
import type { SystemTx } from '../../../platform/store/tenant.ts';

export interface FileNames {
  company: string;
  inbox: string;
  /** The ids that the messages of the files may have. */
  externalIds: string[];
  /** The ids by which the files are found. */
  networkIds: string[];
}

/** Returns whether one of these files still waits for its download. A message that was stored before has the files that it got then. */
export function hasFiles(tx: SystemTx, { company, inbox, externalIds, networkIds }: FileNames): Promise<boolean> {
  return oneValue(tx, {
    name: 'inbound.hasPushedFiles',
    text: `select exists (select from unnest($3::text[]) as external_id
          join message_keys y on y.company_id = $1 and y.key = message_key($2, external_id)
          join media_downloads d on d.company_id = $1 and d.message_id = y.message_id
        where d.network_id = any($4)) as found`,
    values: [company, inbox, externalIds, networkIds],
  });
}
