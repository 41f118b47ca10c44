/** A function that schedules a message to a contact who does not answer. */
import { stripReasoning } from '../../../ai/reasoning.ts';
import { FollowUpArguments } from './schemas.ts';
import { Refusal, type Scene, type Tool } from './tool.ts';

export const followUpTool = ({ plan }: Scene): Tool => ({
  name: 'schedule_follow_up',
  description:
    'Schedules one message to the contact, which is sent only if the contact has not written by then. It cannot be sent later than a day after the last message of the contact on most networks.',
  parameters: FollowUpArguments,
  call: ({ minutes, text }: FollowUpArguments) => {
    const content = stripReasoning(text);
    if (content === '') return Promise.reject(new Refusal('The text has nothing for the contact.'));
    plan.followUp = { delay_minutes: minutes, content };
    return Promise.resolve('The message is scheduled when you have answered.');
  },
});
