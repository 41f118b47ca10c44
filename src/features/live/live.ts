/** The live streams of a process. Who watches a company receives each record that changes there, as its GET answers it. */
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Kit } from '../../kit.ts';
import { onClose } from '../../platform/http/hang-up.ts';
import { invalid } from '../../platform/values/errors.ts';
import type { SystemTx, Tenant } from '../../platform/store/tenant.ts';
import { parseCursor, RESUMABLE_SECONDS, type Cursor } from './cursor.ts';
import { createCompanies } from './companies.ts';
import type { Hub } from './hub.ts';
import type { CompanyPresence } from './presence.ts';
import { isSnapshotUsable, readNoted } from './queries.ts';
import { groupChanges, readChanges } from './records.ts';
import { expectConversation } from '../conversations/conversations.ts';
import { createRechecks } from './rechecks.ts';
import type { Presence, PresenceChange } from './schemas.ts';
import type { TypingIndicators } from './typing.ts';
import { createViewer, readRights, writeEvents, type Viewer } from './viewer.ts';

export interface Live {
  /** Opens a stream for the caller. `after` is the cursor from which the client goes on. */
  open(tenant: Tenant, after: string | undefined, reply: FastifyReply): Promise<Readable>;
  /** Counts a stream that receives what a follower of the company's hub passes on. Resolves when the hub misses nothing any more. */
  join(company: string): Promise<Joined>;
  stop(): Promise<void>;
}

export interface Joined {
  hub: Hub;
  leave(): void;
}

export function createLive(kit: Kit): Live {
  const companies = createCompanies(kit);
  const rechecks = createRechecks(kit.access);
  return {
    async open({ companyId, principal }, after, reply) {
      const cursor = readCursor(after);
      const { hub, presence, started } = companies.enter(companyId);
      const leavePresence = presence.enter(principal.id);
      const viewer = createViewer(readRights(principal), principal.type === 'user' ? principal.id : null);
      const endRechecks = rechecks.begin(viewer, companyId, reply.request.headers);
      onClose(reply, () => {
        endRechecks();
        leavePresence();
        viewer.stream.end();
        hub.viewers.delete(viewer);
        companies.leave(companyId);
      });
      await started;
      if (!reply.raw.closed) {
        hub.viewers.add(viewer);
        void start(kit, { company: companyId, viewer, hub, presence, cursor });
      }
      return viewer.stream.readable;
    },
    async join(company) {
      const { hub, started } = companies.enter(company, { isVisitor: true });
      const leave = (): void => companies.leave(company);
      try {
        await started;
      } catch (error) {
        leave();
        throw error;
      }
      return { hub, leave };
    },
    stop: async () => {
      rechecks.stop();
      await companies.stop();
    },
  };
}

interface Start {
  company: string;
  viewer: Viewer;
  hub: Hub;
  presence: CompanyPresence;
  /** Where the client goes on; null for a client that begins. */
  cursor: Cursor | null;
}

/** Sends what has changed since the cursor, and lets the viewer begin. Never throws. */
async function start(kit: Kit, { company, viewer, hub, presence, cursor }: Start): Promise<void> {
  const system = kit.database.system('changes');
  try {
    if (cursor && !(await isUsable(system, company, cursor))) viewer.reset();
    else if (cursor) {
      const { changes } = await readNoted(system, [company], cursor.snapshot);
      for await (const events of readChanges(kit.database.read(company), groupChanges(changes), kit.secrets)) {
        viewer.stream.send(viewer.select(writeEvents(events)));
        await viewer.stream.taken();
      }
    }
    viewer.begin(hub.cursor);
    viewer.push(viewer.select(writeEvents(presence.list())));
  } catch (error) {
    // Failure policy: the client comes back with the cursor that it had.
    kit.log.warn({ err: error }, 'live: a stream could not begin');
    viewer.stream.end();
  }
}

const isUsable = async (system: SystemTx, company: string, { writtenAt, snapshot }: Cursor): Promise<boolean> =>
  Date.now() / 1_000 - writtenAt < RESUMABLE_SECONDS && (await isSnapshotUsable(system, company, snapshot));

function readCursor(text: string | undefined): Cursor | null {
  if (text === undefined) return null;
  const cursor = parseCursor(text);
  if (!cursor) throw invalid('after', 'is not the id of an event of this stream');
  return cursor;
}

/** Tells everybody who watches the company and sees the inbox what the caller does in the conversation, and the contact that the caller types. */
export async function sayPresence(
  { kit, typing }: { kit: Kit; typing: TypingIndicators },
  tenant: Tenant,
  conversation: string,
  { state }: PresenceChange,
): Promise<Presence> {
  const found = await expectConversation(tenant.read, conversation);
  const { id: _id, name } = tenant.principal;
  const presence: Presence = { conversation, by: { _id, name }, state };
  kit.changes.signal({ company: tenant.companyId, data: { presence, inbox: found.inbox } });
  if (state === 'TYPING') typing.show(tenant, found);
  return presence;
}
