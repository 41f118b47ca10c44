import { exec, maybeOne } from '../../platform/store/db.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { Agent } from '../agents/schemas.ts';
import type { Act } from './schemas.ts';

export interface SettingsRow {
  agent: string;
  acts: Act[];
  status: Agent['status'];
  updatedAt: string;
}

/** Returns null when the company has never enabled it, or no longer has the agent. */
export function findSettings(tx: TenantRead): Promise<SettingsRow | null> {
  return maybeOne(tx, {
    name: 'assist.findSettings',
    text: `select s.agent_id as agent, s.acts, a.status, s.updated_at as "updatedAt"
      from assist_settings s join agents a on a.company_id = s.company_id and a._id = s.agent_id where s.company_id = $1`,
    values: [tx.companyId],
  });
}

/** Keeps the agent until the end of the transaction. */
export function lockAgentType(tx: TenantTx, agent: string): Promise<Pick<Agent, 'type'> | null> {
  return maybeOne(tx, {
    name: 'assist.lockAgent',
    text: 'select type from agents where company_id = $1 and _id = $2 for key share',
    values: [tx.companyId, agent],
  });
}

export function writeSettings(tx: TenantTx, { agent, acts }: Pick<SettingsRow, 'agent' | 'acts'>): Promise<number> {
  return exec(tx, {
    name: 'assist.writeSettings',
    text: `insert into assist_settings (company_id, agent_id, acts) values ($1, $2, $3)
      on conflict (company_id) do update set agent_id = excluded.agent_id, acts = excluded.acts, updated_at = now()`,
    values: [tx.companyId, agent, acts],
  });
}

export function deleteSettings(tx: TenantTx): Promise<number> {
  return exec(tx, {
    name: 'assist.deleteSettings',
    text: 'delete from assist_settings where company_id = $1',
    values: [tx.companyId],
  });
}
