/** Cancels scheduled and held messages, and puts the user's own back into the composer. */
import { isParleyError, type ScheduledMessage } from '@parley/sdk';
import { parley } from '../../../client.ts';
import { findThreadMessage } from '../../../records/messages.ts';
import { bySendAt, cancelScheduled, findSecondsLeft, useScheduled } from '../../../records/scheduled-messages.ts';
import { useSession } from '../../../session/session.ts';
import { showError, showNotice } from '../../../ui/toast.tsx';
import { useUploadsIn } from '../../../ui/uploads/uploads.ts';
import { returnToComposer } from '../../../frame/writing.ts';
import { openFiles, putBack, useDraftPlace, useQuote } from './drafts.ts';
import { putMailBack } from './mail-head.ts';
import { SENDING } from './sending-texts.ts';
import { getTexts } from '../../../texts/texts.ts';

/** Returns a function that cancels a message, and restores the user's own in the composer with its file and quote. */
export function useTakeBack(conversation: string): (scheduled: ScheduledMessage) => Promise<void> {
  const { user } = useSession();
  const place = useDraftPlace(conversation);
  const uploads = useUploadsIn(openFiles(place));
  const [, quote] = useQuote(place);
  return async (scheduled) => {
    try {
      await cancelScheduled(scheduled);
      returnToComposer();
    } catch (error) {
      return sayNotTakenBack(scheduled, error);
    }
    const { message, created_by, reply_to } = scheduled;
    if (created_by._id !== user._id || message.template) return;
    if (message.content) putBack(place, message.content);
    if (message.email) putMailBack(place, message.email);
    const { attachment } = message;
    if (attachment !== null) uploads.addStored(getTexts(SENDING).file, () => parley.attachments.get(attachment));
    const answered = reply_to === null ? null : findThreadMessage(conversation, reply_to);
    if (answered) quote({ ...answered });
  };
}

/** A message that was held is sent while its author presses the key: that is not a failure. */
function sayNotTakenBack({ is_held }: ScheduledMessage, error: unknown): void {
  const isSent = is_held && isParleyError(error) && error.code === 'SCHEDULED_MESSAGE_ENDED';
  if (isSent) showNotice(getTexts(SENDING).alreadySent);
  else showError(error);
}

/** Returns a function that undoes the user's last send; null when nothing can be undone. */
export function useUndo(conversation: string): (() => void) | null {
  const { user } = useSession();
  const takeBack = useTakeBack(conversation);
  const last = useScheduled(conversation)
    .items.filter((each) => each.is_held && each.created_by._id === user._id && findSecondsLeft(each) > 0)
    .toSorted(bySendAt)
    .at(-1);
  return last ? () => void takeBack(last) : null;
}
