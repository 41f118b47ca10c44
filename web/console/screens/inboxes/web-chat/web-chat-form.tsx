/** The line of HTML that shows a web chat, and how the chat looks and behaves. */
import type { Inbox } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley, toPlatformAddress } from '../../../client.ts';
import { useMay } from '../../../session/session.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { FormProblem } from '../../../ui/form-problem.tsx';
import { Unsaved, useKeptForm } from '../../../ui/kept-form.tsx';
import { Card } from '../../../ui/page.tsx';
import { COMMON } from '../../../ui/texts.ts';
import { showNotice } from '../../../ui/toast.tsx';
import { showInbox } from '../../../records/inboxes.ts';
import styles from '../inboxes.module.css';
import { toConfig, toDraft, type WebConfig, type WebDraft } from './draft.ts';
import { HoursFields } from './hours-fields.tsx';
import { IdentityFields } from './identity-fields.tsx';
import { LookFields } from './look-fields.tsx';
import { Preview } from './preview.tsx';
import { QuestionFields } from './question-fields.tsx';
import { WEB_CHAT } from './texts.ts';

const FIELDS = [
  'allowed_origins',
  'color',
  'title',
  'avatar_url',
  'welcome_text',
  'quick_replies',
  'questions',
  'office_hours',
];

export function WebChatForm({ inbox, config }: { inbox: Inbox; config: WebConfig }): ReactElement {
  const texts = useTexts(WEB_CHAT);
  const common = useTexts(COMMON);
  const may = useMay('inboxes:update');
  const { form: draft, changes, change, discard, settle } = useKeptForm(`web-chat.${inbox._id}`, config, toDraft);
  const [secret, setSecret] = useState<string | null>(null);
  const save = useMutation({
    mutationFn: (sent: WebDraft) => {
      const web_config = toConfig(sent);
      return parley.inboxes.update(inbox._id, {
        web_config: secret === null ? web_config : { ...web_config, identity_secret: secret },
      });
    },
    onSuccess: (saved, sent) => {
      showInbox(saved);
      settle(sent);
      showNotice(common.saved);
    },
  });
  const { error } = save;
  const look = `data-color="${config.color}" data-position="${config.position}"`;
  const snippet = `<script async src="${toPlatformAddress('widget.js')}" data-inbox="${inbox._id}" ${look}></script>`;
  return (
    <Card title={texts.look}>
      <CopyField label={texts.snippet} value={snippet} hint={texts.snippetHint} />
      <fieldset className={styles['form']} disabled={!may}>
        <FormProblem error={error} fields={FIELDS.map((field) => `web_config.${field}`)} />
        <LookFields {...{ draft, change, error }} />
        <Preview draft={draft} name={inbox.name} />
        <QuestionFields {...{ draft, change, error }} />
        <HoursFields {...{ draft, change, error }} isReplaced={inbox.business_hours !== null} />
        <IdentityFields {...{ draft, change, error, secret }} onSecret={setSecret} />
        {may && (
          <div className={styles['actions']}>
            <Button kind="primary" isBusy={save.isPending} onClick={() => save.mutate(draft)}>
              {texts.save}
            </Button>
            <Unsaved changes={changes} isBusy={save.isPending} onDiscard={discard} />
          </div>
        )}
      </fieldset>
    </Card>
  );
}
