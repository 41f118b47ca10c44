/** How the users of the company log in by its OpenID provider. It is a form of its own, because only owners change it. */
import type { SingleSignOn, SingleSignOnUpdate } from '@parley/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, type FormEvent, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { queries } from '../../records/queries.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { Unsaved, useKeptForm } from '../../ui/kept-form.tsx';
import { explainError, explainField } from '../../ui/problem.ts';
import { Failure, Loading } from '../../ui/state.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showError, showNotice } from '../../ui/toast.tsx';
import { USERS } from '../users/texts.ts';
import styles from './company.module.css';
import { PROVIDER_REASONS, SINGLE_SIGN_ON_SETTINGS } from './single-sign-on-texts.ts';

const KEY = ['single-sign-on'] as const;
const FIELDS = ['issuer', 'client_id', 'client_secret', 'domains', 'password_login'];

export function SingleSignOnFields(): ReactElement {
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => parley.singleSignOn.get({ signal }),
  });
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />;
  return <SettingsForm settings={data} />;
}

type Draft = Pick<
  SingleSignOn,
  'enabled' | 'create_users' | 'role' | 'password_login' | 'satisfies_second_factor' | 'trust_unverified_email'
> & { issuer: string; client_id: string; client_secret: string; domains: string };

const toDraft = (settings: SingleSignOn): Draft => {
  const { enabled, create_users, role } = settings;
  const { password_login, satisfies_second_factor, trust_unverified_email } = settings;
  return {
    issuer: settings.issuer ?? '',
    client_id: settings.client_id ?? '',
    client_secret: '',
    domains: settings.domains.join(', '),
    enabled,
    create_users,
    role,
    password_login,
    satisfies_second_factor,
    trust_unverified_email,
  };
};

/** An empty secret keeps the stored one. */
const toUpdate = ({ client_secret, domains, issuer, client_id, ...rest }: Draft): SingleSignOnUpdate => ({
  ...rest,
  issuer: issuer.trim(),
  client_id: client_id.trim(),
  domains: domains.split(/[\s,;]+/).filter((domain) => domain !== ''),
  ...(client_secret !== '' && { client_secret }),
});

const show = (settings: SingleSignOn): void => void queries.setQueryData(KEY, settings);

function SettingsForm({ settings }: { settings: SingleSignOn }): ReactElement {
  const texts = useTexts(SINGLE_SIGN_ON_SETTINGS);
  const common = useTexts(COMMON);
  const { form: draft, changes, change, discard, settle } = useKeptForm('single-sign-on', settings, toDraft);
  const saveButton = useRef<HTMLButtonElement>(null);
  const save = useMutation({
    mutationFn: (sent: Draft) => parley.singleSignOn.set(toUpdate(sent)),
    onSuccess: (saved, sent) => {
      show(saved);
      settle(sent);
      showNotice(common.saved);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!save.isPending) save.mutate(draft);
  };
  return (
    <form className={styles['fields']} noValidate onSubmit={submit}>
      <FormProblem error={save.error} fields={FIELDS} />
      <CopyField label={texts.redirectUri} value={settings.redirect_uri} hint={texts.redirectUriHint} />
      <ProviderFields {...{ settings, draft, change }} error={save.error} />
      <RuleFields {...{ draft, change }} error={save.error} />
      <div className={styles['buttons']}>
        <Button ref={saveButton} kind="primary" type="submit">
          {texts.save}
        </Button>
        <Unsaved changes={changes} isBusy={save.isPending} onDiscard={discard} />
        {settings.issuer !== null && (
          // The result of a test concerns these settings only.
          <StoredActions key={settings.updatedAt} onRemoved={() => saveButton.current?.focus()} />
        )}
      </div>
    </form>
  );
}

interface PartProps {
  draft: Draft;
  error: unknown;
  change(changes: Partial<Draft>): void;
}

function ProviderFields({ settings, draft, error, change }: PartProps & { settings: SingleSignOn }): ReactElement {
  const texts = useTexts(SINGLE_SIGN_ON_SETTINGS);
  return (
    <>
      <TextField
        label={texts.issuer}
        type="url"
        placeholder="https://"
        hint={texts.issuerHint}
        value={draft.issuer}
        onChange={(issuer) => change({ issuer })}
        error={explainField(error, 'issuer')}
      />
      <TextField
        label={texts.clientId}
        autoComplete="off"
        value={draft.client_id}
        onChange={(client_id) => change({ client_id })}
        error={explainField(error, 'client_id')}
      />
      <TextField
        label={texts.clientSecret}
        type="password"
        autoComplete="new-password"
        hint={settings.has_client_secret ? texts.secretKept : undefined}
        value={draft.client_secret}
        onChange={(client_secret) => change({ client_secret })}
        error={explainField(error, 'client_secret')}
      />
      <TextField
        label={texts.domains}
        placeholder="example.com"
        hint={texts.domainsHint}
        value={draft.domains}
        onChange={(domains) => change({ domains })}
        error={explainField(error, 'domains')}
      />
    </>
  );
}

function RuleFields({ draft, error, change }: PartProps): ReactElement {
  const texts = useTexts(SINGLE_SIGN_ON_SETTINGS);
  const roles = useTexts(USERS);
  return (
    <>
      <CheckField label={texts.enabled} checked={draft.enabled} onChange={(enabled) => change({ enabled })} />
      <CheckField
        label={texts.createUsers}
        hint={texts.createUsersHint}
        checked={draft.create_users}
        onChange={(create_users) => change({ create_users })}
      />
      {draft.create_users && (
        <SelectField
          label={texts.role}
          value={draft.role}
          options={(['VIEWER', 'OPERATOR', 'ADMIN', 'OWNER'] as const).map((value) => ({ value, label: roles[value] }))}
          onChange={(role) => change({ role })}
        />
      )}
      <CheckField
        label={texts.passwordLogin}
        hint={texts.passwordLoginHint}
        checked={draft.password_login}
        onChange={(password_login) => change({ password_login })}
        error={explainField(error, 'password_login')}
      />
      <CheckField
        label={texts.suffices}
        hint={texts.sufficesHint}
        checked={draft.satisfies_second_factor}
        onChange={(satisfies_second_factor) => change({ satisfies_second_factor })}
      />
      <CheckField
        label={texts.trust}
        hint={texts.trustHint}
        checked={draft.trust_unverified_email}
        onChange={(trust_unverified_email) => change({ trust_unverified_email })}
      />
    </>
  );
}

/** What can be done with the stored provider. */
function StoredActions({ onRemoved }: { onRemoved(): void }): ReactElement {
  const texts = useTexts(SINGLE_SIGN_ON_SETTINGS);
  const check = useMutation({ mutationFn: () => parley.singleSignOn.test() });
  const remove = useMutation({
    mutationFn: () => parley.singleSignOn.remove(),
    onSuccess: (settings) => {
      show(settings);
      onRemoved();
    },
    onError: showError,
  });
  const reasons = useTexts(PROVIDER_REASONS);
  const reason = check.data?.reason ?? null;
  // A newer platform can report reasons that this console does not know.
  const problem = check.error
    ? explainError(check.error)
    : ((reason && reasons[reason]) ?? check.data?.problem ?? null);
  return (
    <>
      <Button isBusy={check.isPending} onClick={() => check.mutate()}>
        {texts.test}
      </Button>
      <ConfirmButton
        label={texts.remove}
        question={texts.reallyRemove}
        meaning={texts.removeMeaning}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
      <span role="status" className={problem === null ? styles['state'] : styles['problem']}>
        {!check.isPending && (check.data?.ok ? texts.works : problem)}
      </span>
    </>
  );
}
