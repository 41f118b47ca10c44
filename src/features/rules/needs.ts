/** The scopes a caller needs to save a rule: those for doing its actions directly. */
import type { Need } from '../../platform/http/needs.ts';
import { actionNeeds } from '../macros/actions.ts';
import { findRuleById } from './rules.ts';
import type { RuleActions } from './schemas.ts';

export const GIVEN_ACTIONS: Need<{ body: { actions?: RuleActions } }>[] = actionNeeds(
  (_tenant, { body }) => body.actions ?? null,
);

/** Whoever changes when a rule runs, or turns it on, needs the rights for what it does already. */
export const OWN_ACTIONS: Need<{ params: { id: string } }>[] = actionNeeds(
  async (tenant, { params }) => (await findRuleById(tenant, params.id))?.actions ?? null,
);
