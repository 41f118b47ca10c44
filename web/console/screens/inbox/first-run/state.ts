/** Whether the user still sees the checklist of a new company. The browser remembers for each user that it is done or dismissed. */
import { useSession } from '../../../session/session.ts';
import { createStore, keep, readKept, useStore } from '../../../store.ts';

const PREFIX = 'parley.first-run.';

/** Users who have finished or dismissed the checklist since the page was loaded. */
const ended = createStore<ReadonlySet<string>>(new Set());

interface FirstRunState {
  isWanted: boolean;
  end(): void;
}

export function useFirstRun(): FirstRunState {
  const { company, user } = useSession();
  const key = `${PREFIX}${company}.${user._id}`;
  const isEnded = useStore(ended).has(key) || readKept(key) !== null;
  const end = (): void => {
    keep(key, 'over');
    ended.set(new Set([...ended.get(), key]));
  };
  return { isWanted: !isEnded, end };
}
