/** The macros that the user can run in a conversation. */
import type { Macro } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { parley } from '../client.ts';
import { useMacros } from '../records/company.ts';
import { showConversation } from '../records/conversations.ts';
import { useMay } from '../session/session.ts';
import { readUndoSeconds } from '../session/undo-seconds.ts';
import { useTexts } from '../texts/texts.ts';
import { COMMON } from './texts.ts';
import { showError, showNotice } from './toast.tsx';

export function useMacrosOf(conversation: string): { macros: readonly Macro[]; run(macro: Macro): void } {
  const texts = useTexts(COMMON);
  const macros = useMacros();
  const mayChange = useMay('conversations:update');
  const running = useMutation({
    mutationFn: ({ _id }: Macro) =>
      parley.conversations.runMacro(conversation, { macro: _id, hold_seconds: readUndoSeconds() }),
    onSuccess: (changed, { name }) => {
      showConversation(changed);
      showNotice(texts.macroDone(name));
    },
    onError: showError,
  });
  return { macros: mayChange ? macros : [], run: (macro) => running.mutate(macro) };
}
