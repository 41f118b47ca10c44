/** The users who follow a conversation. Those who reply, write a note or are mentioned follow it by a trigger. */
import { expectFound, invalid } from '../../../platform/values/errors.ts';
import type { Tenant, TenantRead } from '../../../platform/store/tenant.ts';
import { expectUsers } from '../../users/assignments.ts';
import { expectConversation } from '../conversations.ts';
import { lockConversation } from '../queries.ts';
import { addFollower, listFollowers, unfollow } from './queries.ts';
import { MAX_FOLLOWERS, type ParticipantAdd, type Participants } from './schemas.ts';

export async function readParticipants(read: TenantRead, id: string): Promise<Participants> {
  const { _id: conversation } = await expectConversation(read, id);
  return { conversation, participants: await listFollowers(read, conversation) };
}

export function addParticipant(tenant: Tenant, id: string, { user }: ParticipantAdd): Promise<Participants> {
  return tenant.tx(async (tx) => {
    const { inbox } = expectFound(await lockConversation(tx, id));
    await expectUsers(tx, { user }, inbox);
    if (!(await addFollower(tx, id, user)))
      throw invalid('user', `is one too many: ${MAX_FOLLOWERS} users follow the conversation already`, 'LIMIT_REACHED');
    return { conversation: id, participants: await listFollowers(tx, id) };
  });
}

export function removeParticipant(tenant: Tenant, id: string, user: string): Promise<Participants> {
  return tenant.tx(async (tx) => {
    expectFound(await lockConversation(tx, id));
    expectFound((await unfollow(tx, id, user)) || null);
    tx.created(id);
    return { conversation: id, participants: await listFollowers(tx, id) };
  });
}
