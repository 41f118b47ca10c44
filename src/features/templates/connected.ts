/**
 * After an inbox was connected, reads from the network what it shares with other inboxes: the templates of its account, its standing and the
 * daily limit of its business.
 */
import type { Kit } from '../../kit.ts';
import { readStanding } from '../inboxes/portfolio.ts';
import { copyForInbox } from './catalogue.ts';

export async function readShared(kit: Kit, company: string, inbox: string): Promise<void> {
  await copyForInbox(kit, company, inbox);
  await readStanding(kit, company, inbox);
}
