/** Shows to contacts that someone writes an answer. Requests do not wait for it, and it may be left out. */
import type { Kit } from '../../kit.ts';
import { allows } from '../../platform/values/scopes.ts';
import { createShares } from '../../platform/work/shares.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import type { Conversation } from '../conversations/schemas.ts';
import { showTyping } from '../messages/typing.ts';

// The calls of a process at once, and those of one company. Further ones are left out.
const CALLS = 64;
const CALLS_OF_COMPANY = 8;

export interface TypingIndicators {
  /** Begins a call to the network of the conversation, if that can show it and the caller may send messages. Never throws. */
  show(tenant: Tenant, conversation: Conversation): void;
  /** Ends the calls that are under way. */
  stop(): Promise<void>;
}

export function createTypingIndicators(kit: Kit): TypingIndicators {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const calls = createShares(CALLS_OF_COMPANY, 1_000, { all: CALLS, kept: CALLS / 4, mostWaiting: 0 });

  async function call(company: string, conversation: string): Promise<void> {
    try {
      await calls.within(company, () => showTyping(kit, { company, conversation }, stopping.signal));
    } catch (error) {
      // Failure policy: the contact does not see that someone types.
      kit.log.debug({ err: error, conversation }, 'typing was not shown');
    }
  }

  return {
    show: ({ companyId, principal }, { _id, channel }) => {
      if (!kit.channels.get(channel).can.typing || !allows(principal.scopes, 'messages:create')) return;
      if (stopping.signal.aborted) return;
      const work = call(companyId, _id).finally(() => running.delete(work));
      running.add(work);
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
