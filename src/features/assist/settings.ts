/** Which agent writes for the people of a company, and what they can ask of it. It is off until someone chooses an agent. */
import type { Kit } from '../../kit.ts';
import { invalid, unknownReference } from '../../platform/values/errors.ts';
import type { Tenant, TenantRead } from '../../platform/store/tenant.ts';
import { deleteSettings, findSettings, lockAgentType, writeSettings } from './queries.ts';
import { ACTS, type AssistSettings, type AssistSettingsUpdate } from './schemas.ts';

export async function readSettings({ config }: Kit, read: TenantRead): Promise<AssistSettings> {
  const row = await findSettings(read);
  const { agent = null, acts = [], updatedAt = null } = row ?? {};
  const has_model = config.chat !== null;
  const is_available = row?.status === 'ACTIVE' && acts.length > 0 && has_model;
  return { company: read.companyId, agent, acts, is_available, has_model, updatedAt };
}

export function updateSettings(
  kit: Kit,
  tenant: Tenant,
  { agent, acts }: AssistSettingsUpdate,
): Promise<AssistSettings> {
  return tenant.tx(async (tx) => {
    // They are no record of their own: the audit names the company.
    tx.created(tx.companyId);
    if (agent === null) await deleteSettings(tx);
    else {
      const found = await lockAgentType(tx, agent);
      if (!found) throw unknownReference('agent');
      if (found.type !== 'AI') throw invalid('agent', 'must be an agent of type AI');
      await writeSettings(tx, { agent, acts: ACTS.filter((act) => acts.includes(act)) });
    }
    return readSettings(kit, tx);
  });
}
