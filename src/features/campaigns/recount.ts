/** Compares the counters of campaigns with a count of their contacts and messages, for the command `npm run recount`. */
import { walkPortions } from '../../platform/store/portions.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import {
  findDifferences,
  listForRecount,
  mendCounters,
  type Difference,
  type NamedCampaign,
} from './recount-queries.ts';

const PORTION = 100;

export interface Recounted extends NamedCampaign {
  /** The counters that were wrong. */
  differences: Difference[];
}

/** Yields each campaign of the company, or of all companies with null. With `mends` its counters are right afterwards. */
export async function* recountCampaigns(
  system: SystemTx,
  { company, mends }: { company: string | null; mends: boolean },
): AsyncGenerator<Recounted> {
  const portions = walkPortions((after: NamedCampaign | null) =>
    listForRecount(system, company, { after, most: PORTION }),
  );
  for await (const campaigns of portions)
    for (const campaign of campaigns) {
      const differences = await (mends ? mendCounters : findDifferences)(system, campaign);
      yield { ...campaign, differences };
    }
}
