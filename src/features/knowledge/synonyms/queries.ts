import { exec, maybeOne } from '../../../platform/store/db.ts';
import type { TenantRead, TenantTx } from '../../../platform/store/tenant.ts';
import type { SynonymGroup } from './schemas.ts';

export interface SynonymsRow {
  groups: SynonymGroup[];
  revision: number;
  updatedAt: string;
}

export function findSynonymsRow(tx: TenantRead): Promise<SynonymsRow | null> {
  return maybeOne(tx, {
    name: 'knowledge.findSynonyms',
    text: 'select groups, revision, updated_at as "updatedAt" from knowledge_synonyms where company_id = $1',
    values: [tx.companyId],
  });
}

/** Returns null when the company has never written synonyms. */
export async function findSynonymsRevision(tx: TenantRead): Promise<number | null> {
  const row = await maybeOne<{ revision: number }>(tx, {
    name: 'knowledge.findSynonymsRevision',
    text: 'select revision from knowledge_synonyms where company_id = $1',
    values: [tx.companyId],
  });
  return row?.revision ?? null;
}

export function writeSynonyms(tx: TenantTx, groups: SynonymGroup[]): Promise<number> {
  return exec(tx, {
    name: 'knowledge.writeSynonyms',
    text: `insert into knowledge_synonyms as s (company_id, groups) values ($1, $2)
      on conflict (company_id) do update set groups = excluded.groups, revision = s.revision + 1, updated_at = now()
        where s.groups <> excluded.groups`,
    values: [tx.companyId, JSON.stringify(groups)],
  });
}
