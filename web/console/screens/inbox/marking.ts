/** Marks a conversation as unread for later. The open one is left, because what is looked at is read. */
import type { Conversation } from '@parley/sdk';
import { useLocation } from 'wouter';
import { markAsUnread } from '../../records/conversations.ts';
import { showError } from '../../ui/toast.tsx';
import { endWriting, FROM_LIST } from '../../frame/writing.ts';
import { focusRow } from './list-keys.ts';

export const canBeUnread = ({ last_inbound_at }: Conversation): boolean => last_inbound_at !== null;

/** Acts once the menu that was used has closed and has returned the focus. */
const whenLeft = (act: () => void): void => void requestAnimationFrame(() => requestAnimationFrame(act));

/** `view`: the view of the list; `open`: the open conversation. */
export function useMarkUnread(view: string, open: string | null): (conversation: Conversation) => void {
  const [, navigate] = useLocation();
  return (conversation) => {
    if (conversation._id === open) {
      navigate(`/${view}`, { state: FROM_LIST });
      whenLeft(() => {
        endWriting();
        focusRow(conversation);
      });
    }
    // Failure policy: the conversation stays read, and the user may mark it again.
    markAsUnread(conversation._id).catch(showError);
  };
}
