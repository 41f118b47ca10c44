/** A function that schedules a message to a contact who does not answer. */
import { FollowUpArguments } from './schemas.ts';
import type { Scene, Tool } from './tool.ts';

export const followUpTool = ({ plan }: Scene): Tool => ({
  name: 'schedule_follow_up',
  description:
    'Schedules one message to the contact, which is sent only if the contact has not written by then. It can not be sent later than a day after the last message of the contact on most networks.',
  parameters: FollowUpArguments,
  call: ({ minutes, text }: FollowUpArguments) => {
    plan.followUp = { delay_minutes: minutes, content: text };
    return Promise.resolve('The message is scheduled when you have answered.');
  },
});
