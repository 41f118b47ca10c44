/** What an inbox does with its conversations and messages. */
import type { Inbox } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useAgents, useBusinessHours, useTeams, useUsers, useUsersWhoSee } from '../../records/company.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { Unsaved, useKeptForm } from '../../ui/kept-form.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Card } from '../../ui/page.tsx';
import { explainField } from '../../ui/problem.ts';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { CsatField } from './csat-field.tsx';
import { toDraft, toUpdate, type Draft, type DraftProps } from './draft.ts';
import { showInbox } from '../../records/inboxes.ts';
import styles from './inboxes.module.css';
import { MembersField } from './members-field.tsx';
import { MessageSwitches } from './message-switches.tsx';
import { SETTINGS } from './settings-texts.ts';
import { TestMode } from './test-mode.tsx';
import { INBOXES } from './texts.ts';

const FIELDS = [
  'name',
  'members',
  'door_name',
  'default_owner',
  'default_team',
  'default_agent',
  'business_hours',
  'away_text',
  'csat_question',
  'reopen_days',
  'test_mode',
  'webhook_url',
];

export function SettingsForm({ inbox }: { inbox: Inbox }): ReactElement {
  const texts = useTexts(SETTINGS);
  const titles = useTexts(INBOXES);
  const common = useTexts(COMMON);
  const may = useMay('inboxes:update');
  const { form: draft, changes, change, discard, settle } = useKeptForm(`inbox.${inbox._id}`, inbox, toDraft);
  const save = useMutation({
    mutationFn: (sent: Draft) => parley.inboxes.update(inbox._id, toUpdate(sent, toDraft(inbox))),
    onSuccess: (saved, sent) => {
      showInbox(saved);
      settle(sent);
      showNotice(common.saved);
    },
  });
  const { error } = save;
  return (
    <Card title={titles.settings}>
      <fieldset className={styles['form']} disabled={!may}>
        <FormProblem error={error} fields={FIELDS} />
        <TextField
          label={texts.name}
          value={draft.name}
          onChange={(name) => change({ name })}
          error={explainField(error, 'name')}
        />
        <MembersField {...{ draft, change, error }} />
        <OwnerField {...{ draft, change, error }} />
        <TeamField {...{ draft, change, error }} />
        <AgentField {...{ draft, change, error }} />
        <HoursField {...{ draft, change, error }} />
        <ReopenField {...{ draft, change, error }} />
        <CsatField {...{ draft, change, error }} />
        <MessageSwitches {...{ draft, change, error }} />
        <TestMode {...{ draft, change, error }} />
        <TextField
          label={texts.callback}
          hint={texts.callbackHint}
          type="url"
          placeholder="https://"
          value={draft.webhook_url}
          onChange={(webhook_url) => change({ webhook_url })}
          error={explainField(error, 'webhook_url')}
        />
        <TextField
          label={texts.instance}
          hint={texts.instanceHint}
          value={draft.door_name}
          onChange={(door_name) => change({ door_name })}
          error={explainField(error, 'door_name')}
        />
        {may && (
          <div className={styles['actions']}>
            <Button kind="primary" isBusy={save.isPending} onClick={() => save.mutate(draft)}>
              {common.save}
            </Button>
            <Unsaved changes={changes} isBusy={save.isPending} onDiscard={discard} />
          </div>
        )}
      </fieldset>
    </Card>
  );
}

function OwnerField({ draft, change, error }: DraftProps): ReactElement {
  const texts = useTexts(SETTINGS);
  const seeing = useUsersWhoSee(draft.members);
  const users = useUsers().filter((user) => seeing.includes(user) || user._id === draft.default_owner);
  return (
    <SelectField
      label={texts.owner}
      value={draft.default_owner ?? ''}
      options={[{ value: '', label: texts.nobody }, ...users.map(({ _id, name }) => ({ value: _id, label: name }))]}
      onChange={(owner) => change({ default_owner: owner === '' ? null : owner })}
      error={explainField(error, 'default_owner')}
    />
  );
}

function TeamField({ draft, change, error }: DraftProps): ReactElement | null {
  const texts = useTexts(SETTINGS);
  const teams = useTeams();
  if (teams.length === 0) return null;
  return (
    <SelectField
      label={texts.team}
      hint={texts.teamHint}
      value={draft.default_team ?? ''}
      options={[{ value: '', label: texts.noTeam }, ...teams.map(({ _id, name }) => ({ value: _id, label: name }))]}
      onChange={(team) => change({ default_team: team === '' ? null : team })}
      error={explainField(error, 'default_team')}
    />
  );
}

function AgentField({ draft, change, error }: DraftProps): ReactElement {
  const texts = useTexts(SETTINGS);
  const agents = useAgents().filter(({ _id, status }) => status === 'ACTIVE' || _id === draft.default_agent);
  return (
    <SelectField
      label={texts.agent}
      hint={texts.agentHint}
      value={draft.default_agent ?? ''}
      options={[{ value: '', label: texts.noAgent }, ...agents.map(({ _id, name }) => ({ value: _id, label: name }))]}
      onChange={(agent) => change({ default_agent: agent === '' ? null : agent })}
      error={explainField(error, 'default_agent')}
    />
  );
}

function HoursField({ draft, change, error }: DraftProps): ReactElement {
  const texts = useTexts(SETTINGS);
  const hours = useBusinessHours();
  return (
    <>
      <SelectField
        label={texts.hours}
        hint={hours.length === 0 && texts.noHoursHint}
        value={draft.business_hours ?? ''}
        options={[
          { value: '', label: texts.alwaysOpen },
          ...hours.map(({ _id, name }) => ({ value: _id, label: name })),
        ]}
        onChange={(chosen) => change({ business_hours: chosen === '' ? null : chosen })}
        error={explainField(error, 'business_hours')}
      />
      {draft.business_hours !== null && (
        <TextArea
          label={texts.awayText}
          hint={texts.awayTextHint}
          value={draft.away_text}
          onChange={(away_text) => change({ away_text })}
          error={explainField(error, 'away_text')}
        />
      )}
    </>
  );
}

function ReopenField({ draft, change, error }: DraftProps): ReactElement {
  const texts = useTexts(SETTINGS);
  return (
    <NumberField
      label={texts.reopen}
      hint={texts.reopenHint}
      value={draft.reopen_days}
      onChange={(reopen_days) => change({ reopen_days })}
      error={explainField(error, 'reopen_days')}
    />
  );
}
