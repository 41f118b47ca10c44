/** What a channel needs to call servers on this machine. */
import { createOutbound } from '../../src/platform/outside/outbound.ts';
import { createCallers } from '../../src/platform/work/callers.ts';

/** Opens both until the scope ends. */
export function openOutside(scope: { after(end: () => unknown): void }) {
  const outbound = createOutbound({ allow: ['127.0.0.0/8'], trusted: [] });
  const callers = createCallers(new URL('../../src/mail-caller.ts', import.meta.url), 0);
  scope.after(() => {
    callers.close();
    return outbound.close();
  });
  return { outbound, callers };
}
