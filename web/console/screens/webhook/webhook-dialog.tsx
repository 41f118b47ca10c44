/** Sets the webhook up, changes it, or removes it. */
import type { Webhook } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { explainField } from '../../ui/problem.ts';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import type { EventName } from './deliveries.ts';
import { EventsField } from './events-field.tsx';
import { HeadersField } from './headers-field.tsx';
import { findRepeated, toHeaders, toLines } from './headers.ts';
import { RemoveWebhook } from './remove-webhook.tsx';
import { WEBHOOK } from './texts.ts';
import { showWebhook } from './webhook-record.ts';

interface WebhookDialogProps {
  /** Null sets a new one up. */
  webhook: Webhook | null;
  onClose(): void;
}

export function WebhookDialog({ webhook, onClose }: WebhookDialogProps): ReactElement {
  const texts = useTexts(WEBHOOK);
  const common = useTexts(COMMON);
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [events, setEvents] = useState<readonly EventName[]>(webhook?.events ?? []);
  const [lines, setLines] = useState(toLines(webhook?.custom_headers ?? {}));
  const [isActive, setActive] = useState(webhook?.status !== 'INACTIVE');
  const save = useMutation({
    mutationFn: () => {
      const status = isActive ? ('ACTIVE' as const) : ('INACTIVE' as const);
      const body = { url, events: [...events], custom_headers: toHeaders(lines), status };
      return webhook ? parley.webhooks.update(webhook._id, body) : parley.webhooks.create(body);
    },
    onSuccess: (saved) => {
      showWebhook(saved);
      showNotice(common.saved);
      onClose();
    },
  });
  const { error } = save;
  const eventsFault = explainField(error, 'events');
  const headerPaths = lines.map(({ name }) => `custom_headers.${name}`);
  return (
    <Dialog
      title={webhook ? texts.change : texts.setUp}
      onClose={onClose}
      actions={
        <>
          {webhook && <RemoveWebhook id={webhook._id} onRemoved={onClose} />}
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            kind="primary"
            isBusy={save.isPending}
            disabled={findRepeated(lines) !== null}
            onClick={() => save.mutate()}
          >
            {common.save}
          </Button>
        </>
      }
    >
      <FormProblem error={error} fields={['url', 'events', ...headerPaths]} />
      <TextField
        label={texts.address}
        type="url"
        placeholder="https://"
        hint={texts.addressHint}
        value={url}
        onChange={setUrl}
        error={explainField(error, 'url')}
      />
      <CheckField label={texts.isActive} hint={texts.isActiveHint} checked={isActive} onChange={setActive} />
      <EventsField
        events={events}
        onChange={setEvents}
        error={eventsFault && events.length === 0 ? texts.chooseEvent : eventsFault}
      />
      <HeadersField lines={lines} onChange={setLines} error={error} />
    </Dialog>
  );
}
