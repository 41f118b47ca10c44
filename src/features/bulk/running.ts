/** What a process knows while it works on a run. */
import type { Kit } from '../../kit.ts';
import { actAs, type Acting } from '../../platform/store/tenant.ts';
import type { RunWork } from './queries.ts';
import { openSender, openTemplateFiles, type OpenedFiles, type Sender } from './sender.ts';

export interface Running extends Sender, OpenedFiles {
  acting: Acting;
  run: RunWork;
  /** The id under which this process holds the run. */
  holder: string;
}

/** Another process has taken the run over, or its company is suspended, so this process sends nothing more. */
export class RunLost extends Error {
  constructor() {
    super('another process works on the run, or its company is suspended');
    this.name = 'RunLost';
  }
}

/** Opens a run for this process, which holds it as `holder`. */
export async function openRunning(kit: Kit, companyId: string, run: RunWork, holder: string): Promise<Running> {
  const acting = actAs(kit.database, companyId, run.actor);
  const sender = await openSender(kit, acting.read, run.inbox);
  return { acting, run, holder, ...sender, ...(await openTemplateFiles(kit, acting.read, sender.channel, run)) };
}
