/** A assigns a conversation to the user, E closes or reopens it, U marks it as unread, R and N begin a message and a note, [ and ] change the view. */
import type { Conversation } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { isLetterKey } from '../../frame/shortcuts.ts';
import { useInboxes, usePipelines, useTeams } from '../../records/company.ts';
import { assignTo, changeConversation, findKnownConversation } from '../../records/conversations.ts';
import { useViews } from '../../records/views.ts';
import { useMay, useSession } from '../../session/session.ts';
import { useClosingChange } from '../../ui/closing.ts';
import { showError } from '../../ui/toast.tsx';
import { endWriting, findMeant, isTyping, returnToComposer } from '../../frame/writing.ts';
import { canBeUnread, useMarkUnread } from './marking.ts';
import { listViewKeys } from './views.ts';

/** Runs what a key stands for. */
function useKeys(find: (key: string) => (() => void) | undefined): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      // A key that is held acts once.
      const act = !event.repeat && isLetterKey(event) ? find(event.key) : undefined;
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [find]);
}

export function useViewKeys(current: string): void {
  const [, navigate] = useLocation();
  const keys = listViewKeys({ views: useViews(), teams: useTeams(), inboxes: useInboxes(), pipelines: usePipelines() });
  useKeys((key) => {
    const step = key === '[' ? -1 : key === ']' ? 1 : 0;
    const next = step === 0 ? undefined : keys[keys.indexOf(current) + step];
    return next === undefined ? undefined : () => navigate(`/${next}`);
  });
}

/** The keys that change the conversation of the row that has the focus, or else the open one. */
export function useChangeKeys(view: string, open: string | null): void {
  const mayChange = useMay('conversations:update');
  const { user } = useSession();
  const assigning = useMutation({
    mutationFn: (conversation: Conversation) => changeConversation(conversation._id, assignTo(user._id, conversation)),
    onError: showError,
  });
  const closing = useClosingChange();
  const markUnread = useMarkUnread(view, open);
  useKeys((key) => {
    const change = key === 'a' ? assigning : key === 'e' ? closing : undefined;
    const conversation = findKnownConversation(findMeant(open) ?? '');
    if (!mayChange || !conversation) return undefined;
    if (key === 'u') return canBeUnread(conversation) ? () => markUnread(conversation) : undefined;
    if (!change) return undefined;
    const isBusy = [assigning, closing].some((each) => each.isPending && each.variables._id === conversation._id);
    return isBusy ? undefined : () => change.mutate(conversation);
  });
}

/** R begins to write, N a note, and Escape leaves the field. R leaves a note a note, because the contact must not read it. */
export function useWriteKeys(beginNote: () => void): void {
  useKeys((key) => {
    if (key !== 'r' && key !== 'n') return undefined;
    return () => {
      if (key === 'n') beginNote();
      returnToComposer();
    };
  });
  useEffect(() => {
    document.addEventListener('keydown', leaveField);
    return () => document.removeEventListener('keydown', leaveField);
  }, []);
}

/** Who leaves a field has finished with it, unless it still holds a text that was not sent. */
function leaveField(event: KeyboardEvent): void {
  const { key, target, defaultPrevented, isComposing } = event;
  if (key !== 'Escape' || !isTyping(event) || defaultPrevented || isComposing) return;
  const field = target as HTMLElement;
  field.blur();
  if (!(field instanceof HTMLTextAreaElement && field.value !== '')) endWriting();
}
