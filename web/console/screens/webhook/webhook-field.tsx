/** Chooses one of the company's webhooks; nothing to choose is shown while it has only its own. */
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { SelectField } from '../../ui/field.tsx';
import { useDoorWebhooks } from './door-records.ts';
import { DOOR_WEBHOOKS } from './door-texts.ts';
import { useWebhook } from './webhook-record.ts';

interface WebhookFieldProps {
  /** Empty for all of them, or with `isOfDoor` for the company's own. */
  webhook: string;
  onChange(webhook: string): void;
  isOfDoor?: boolean;
}

export function WebhookField({ webhook, onChange, isOfDoor = false }: WebhookFieldProps): ReactElement | null {
  const texts = useTexts(DOOR_WEBHOOKS);
  const { data: own } = useWebhook();
  const { data: webhooks = [] } = useDoorWebhooks();
  if (webhooks.length === 0) return null;
  return (
    <SelectField
      label={texts.webhook}
      value={webhook}
      options={[
        { value: '', label: isOfDoor ? texts.own : texts.allWebhooks },
        ...(own && !isOfDoor ? [{ value: own._id, label: texts.own }] : []),
        ...webhooks.map(({ _id, door, url }) => ({ value: _id, label: `${texts[door]}: ${url}` })),
      ]}
      onChange={onChange}
    />
  );
}
