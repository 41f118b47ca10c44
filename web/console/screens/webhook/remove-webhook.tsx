import type { ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { RemoveButton } from '../../ui/remove-button.tsx';
import { WEBHOOK } from './texts.ts';
import { showWebhook } from './webhook-record.ts';

export function RemoveWebhook({ id, onRemoved }: { id: string; onRemoved(): void }): ReactElement | null {
  const texts = useTexts(WEBHOOK);
  const may = useMay('webhooks:delete');
  if (!may) return null;
  return (
    <RemoveButton
      confirmation={texts.reallyRemove}
      remove={() => parley.webhooks.delete(id)}
      onRemoved={() => {
        showWebhook(null);
        onRemoved();
      }}
    />
  );
}
