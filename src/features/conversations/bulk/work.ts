import type { Kit } from '../../../kit.ts';
import type { ClaimLoop } from '../../../platform/work/claims/claim-loop.ts';
import { startChangeRuns } from '../../../platform/work/runs/changes.ts';
import { makeChange } from './change.ts';
import { CONVERSATION_RUNS } from './runs.ts';
import type { ConversationChange } from './schemas.ts';

export const startConversationRuns = (kit: Kit): ClaimLoop =>
  startChangeRuns<ConversationChange>(kit, {
    kind: CONVERSATION_RUNS,
    word: 'conversation',
    make: (tx, acting, asked) => makeChange(kit, tx, acting, asked),
  });
