/** A assigns the open conversation to the user, E closes or reopens it, R and N begin a message and a note, [ and ] change the view. */
import type { ConversationUpdate } from '@parley/sdk';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { isPlainKey, isTyping } from '../../frame/shortcuts.ts';
import { useInboxes, usePipelines } from '../../records/company.ts';
import { useConversation, useConversationChange } from '../../records/conversations.ts';
import { useMay, useSession } from '../../session/session.ts';
import { showError } from '../../ui/toast.tsx';
import { listViewKeys } from './views.ts';

/** Runs what a key stands for. */
function useKeys(find: (key: string) => (() => void) | undefined): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const act = isPlainKey(event) ? find(event.key) : undefined;
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
  const keys = listViewKeys(useInboxes(), usePipelines());
  useKeys((key) => {
    const step = key === '[' ? -1 : key === ']' ? 1 : 0;
    const next = step === 0 ? undefined : keys[keys.indexOf(current) + step];
    return next === undefined ? undefined : () => navigate(`/${next}`);
  });
}

/** The keys that change the open conversation. */
export function ConversationKeys({ id }: { id: string }): null {
  const { user } = useSession();
  const { data: conversation } = useConversation(id);
  const change = useConversationChange(id);
  const mayChange = useMay('conversations:update');
  const apply = (update: ConversationUpdate): void => change.mutate(update, { onError: showError });
  useKeys((key) => {
    if (!conversation || !mayChange || change.isPending) return undefined;
    if (key === 'a') return () => apply({ owner: user._id });
    if (key === 'e') return () => apply({ status: conversation.status === 'CLOSED' ? 'OPEN' : 'CLOSED' });
    return undefined;
  });
  return null;
}

/** R and N begin to write, Escape leaves the field. `setNote` chooses between a note and a message. */
export function useWriteKeys(setNote: (isNote: boolean) => void): void {
  useKeys((key) => {
    if (key !== 'r' && key !== 'n') return undefined;
    return () => {
      setNote(key === 'n');
      document.querySelector<HTMLElement>('main textarea')?.focus();
    };
  });
  useEffect(() => {
    document.addEventListener('keydown', leaveField);
    return () => document.removeEventListener('keydown', leaveField);
  }, []);
}

function leaveField(event: KeyboardEvent): void {
  const { key, target, defaultPrevented, isComposing } = event;
  if (key === 'Escape' && isTyping(event) && !defaultPrevented && !isComposing) (target as HTMLElement).blur();
}
