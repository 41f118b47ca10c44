/** One entry of the audit with everything that is known about it. */
import type { AuditEntry } from '@parley/sdk';
import type { ReactElement } from 'react';
import { formatMoment, formatMoney, formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { AGENT_WORK } from '../../ui/agents/texts.ts';
import { Details, type Detail } from '../../ui/details.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { AUDIT } from './texts.ts';
import { useActionWords, useActorWords } from './words.ts';

const listUse = (use: AuditEntry['ai'], texts: Record<'model' | 'input' | 'output' | 'cost', string>): Detail[] =>
  use === null
    ? []
    : [
        [texts.model, use.model],
        use.input_tokens !== null && [texts.input, formatNumber(use.input_tokens)],
        use.output_tokens !== null && [texts.output, formatNumber(use.output_tokens)],
        use.cost !== null && [texts.cost, formatMoney(use.cost)],
      ];

export function AuditEntryDialog({ entry, onClose }: { entry: AuditEntry; onClose(): void }): ReactElement {
  const texts = useTexts(AUDIT);
  const nameActor = useActorWords();
  const title = useActionWords()(entry);
  const details: Detail[] = [
    [texts.when, formatMoment(entry.createdAt)],
    [texts.who, nameActor(entry.actor)],
    [texts.action, entry.action],
    [texts.record, entry.resource_name],
    [texts.recordId, entry.resource_id],
    [texts.fields, entry.fields.join(', ') || null],
    [texts.address, entry.address],
    [texts.client, entry.user_agent],
    [texts.request, entry.request_id],
    ...listUse(entry.ai, useTexts(AGENT_WORK)),
    entry.via !== null && [texts.via, entry.via],
  ];
  return (
    <Dialog title={title} onClose={onClose}>
      <Details items={details} />
    </Dialog>
  );
}
