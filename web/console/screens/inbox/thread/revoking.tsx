/** Deletes a message of the company for everyone, after a question. */
import type { Message } from '@parley/sdk';
import type { ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { showMessage } from '../../../records/messages.ts';
import { useMay } from '../../../session/session.ts';
import { createStore, useStore } from '../../../store.ts';
import { useTexts } from '../../../texts/texts.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { isKnown } from './reactions.ts';
import { THREAD } from './texts.ts';

/** The channels whose networks delete messages. */
const REVOKING: ReadonlySet<Message['channel']> = new Set(['PARTNER_API', 'WEB_V2']);

export function useMayRevoke(message: Message): boolean {
  const mayWrite = useMay('messages:create');
  const { channel, message_type, contentType, status } = message;
  const isSent = isKnown(message) && message_type === 'OUTGOING' && status !== 'FAILED';
  return mayWrite && isSent && REVOKING.has(channel) && contentType !== 'REACTION';
}

const asked = createStore<Message | null>(null);
export const askToRevoke = (message: Message | null): void => asked.set(message);

export function RevokeQuestion(): ReactElement | null {
  const texts = useTexts(THREAD);
  const message = useStore(asked);
  const close = (): void => askToRevoke(null);
  if (!message) return null;
  return (
    <ConfirmDialog
      title={texts.revokeTitle}
      lead={texts.revokeLead}
      action={texts.revoke}
      isDangerous
      act={() => parley.messages.revoke(message._id)}
      onDone={(changed) => {
        showMessage(changed);
        close();
      }}
      onClose={close}
    />
  );
}
