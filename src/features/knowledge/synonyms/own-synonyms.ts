/** The words that mean the same for one company, which it writes itself. */
import { invalid } from '../../../platform/values/errors.ts';
import type { Tenant, TenantRead } from '../../../platform/store/tenant.ts';
import { findSynonymsRow, writeSynonyms } from './queries.ts';
import type { Synonyms, SynonymsUpdate } from './schemas.ts';
import { splitWords } from './thesaurus.ts';

export async function readSynonyms(read: TenantRead): Promise<Synonyms> {
  const row = await findSynonymsRow(read);
  return { company: read.companyId, groups: row?.groups ?? [], updatedAt: row?.updatedAt ?? null };
}

export function updateSynonyms(tenant: Tenant, { groups }: SynonymsUpdate): Promise<Synonyms> {
  for (const [index, { words }] of groups.entries()) checkWords(words, `groups[${index}].words`);
  return tenant.tx(async (tx) => {
    // They are no record of their own: the audit names the company.
    tx.created(tx.companyId);
    await writeSynonyms(tx, groups);
    return readSynonyms(tx);
  });
}

function checkWords(words: string[], path: string): void {
  const counts = words.map((word) => splitWords(word).length);
  const empty = counts.indexOf(0);
  if (empty >= 0) throw invalid(`${path}[${empty}]`, 'must contain a letter or a digit');
  if (!counts.includes(1)) throw invalid(path, 'must have a single word besides the expressions');
}
