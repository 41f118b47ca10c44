/** Creates the default pipeline, which each company has from its first day. */
import { newId } from '../../platform/values/ids.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import type { Language } from '../users/schemas.ts';
import { insertDefaultPipeline } from './default-queries.ts';

/**
 * The names of the pipeline and its steps in each language: three steps for open conversations, one for won and one for lost conversations.
 */
const NAMES: Record<Language, [string, ...string[]]> = {
  'pt-BR': ['Funil de vendas', 'Novo', 'Em atendimento', 'Proposta', 'Ganho', 'Perdido'],
  en: ['Sales pipeline', 'New', 'In progress', 'Proposal', 'Won', 'Lost'],
  es: ['Embudo de ventas', 'Nuevo', 'En atención', 'Propuesta', 'Ganado', 'Perdido'],
};
const KINDS = ['OPEN', 'OPEN', 'OPEN', 'WON', 'LOST'];

/** Creates the default pipeline in the language of the company, in the transaction that creates the company. */
export async function createDefaultPipeline(tx: SystemTx, company: string, language: Language): Promise<void> {
  const [name, ...steps] = NAMES[language];
  await insertDefaultPipeline(tx, {
    company,
    _id: newId(),
    name,
    steps: steps.map((step, index) => ({ _id: newId(), name: step, kind: KINDS[index] ?? 'OPEN' })),
  });
}
