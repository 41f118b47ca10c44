/** The company: how it is called, how its numbers and times are read, and how much it stores. */
import type { Company } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useId, useState, type FormEvent, type ReactElement, type ReactNode } from 'react';
import { parley } from '../../client.ts';
import { FRAME, SCREEN_NAMES } from '../../frame/texts.ts';
import { showCompany, useCompanyRecord } from '../../records/company.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FieldGrid } from '../../ui/field-grid.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { Unsaved } from '../../ui/kept-form.tsx';
import { Page } from '../../ui/page.tsx';
import { explainField } from '../../ui/problem.ts';
import { Empty, Failure, Loading } from '../../ui/state.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import styles from './company.module.css';
import { toUpdate, useCompanyDraft, type Saving } from './draft.ts';
import { RegionFields, type FieldsProps } from './region-fields.tsx';
import { RequireDialog, SecurityFields } from './security-fields.tsx';
import { SingleSignOnFields } from './single-sign-on.tsx';
import { SINGLE_SIGN_ON_SETTINGS } from './single-sign-on-texts.ts';
import { COMPANY } from './texts.ts';
import { Usage } from './usage.tsx';

/** The fields that show their errors themselves. */
const FIELDS = ['name', 'site', 'document_type', 'document_number', 'general_config', 'second_factor_required'];

export function CompanyScreen(): ReactElement {
  const names = useTexts(SCREEN_NAMES);
  const frame = useTexts(FRAME);
  const may = useMay('companies:read');
  const { data: company, error, refetch } = useCompanyRecord();
  if (!may) return <Empty icon="store" title={frame.notFound} />;
  if (company) return <CompanyForm company={company} />;
  return (
    <Page title={names.company}>{error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />}</Page>
  );
}

function CompanyForm({ company }: { company: Company }): ReactElement {
  const names = useTexts(SCREEN_NAMES);
  const texts = useTexts(COMPANY);
  const common = useTexts(COMMON);
  const may = useMay('companies:update');
  const form = useId();
  const { form: draft, changes, change, discard, settle } = useCompanyDraft(company);
  const isChanged = Object.keys(changes).length > 0;
  const save = useMutation({
    mutationFn: (sent: Saving) => parley.companies.update(company._id, toUpdate(sent)),
    onSuccess: async (saved, sent) => {
      await showCompany(saved);
      settle(sent.changes);
      showNotice(common.saved);
    },
  });
  const { error } = save;
  const [isAsked, ask] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isChanged || save.isPending) return;
    if (changes.second_factor_required === true) ask(true);
    else save.mutate({ form: draft, changes });
  };
  const actions = (
    <>
      <Unsaved
        changes={changes}
        isBusy={save.isPending}
        onDiscard={() => {
          discard();
          save.reset();
        }}
      />
      <Button kind="primary" type="submit" form={form} isBusy={save.isPending} disabled={!isChanged}>
        {common.save}
      </Button>
    </>
  );
  return (
    <Page title={names.company} lead={may ? undefined : texts.readOnly} actions={may && actions}>
      <form id={form} className={styles['form']} noValidate onSubmit={submit}>
        <FormProblem error={error} fields={FIELDS} />
        <Section title={texts.profile} lead={texts.profileLead} isLocked={!may}>
          <ProfileFields {...{ draft, error, change }} />
        </Section>
        <Section title={texts.region} lead={texts.regionLead} isLocked={!may}>
          <RegionFields {...{ draft, error, change }} />
        </Section>
        <Section title={texts.security} lead={texts.securityLead} isLocked={!may}>
          <SecurityFields {...{ draft, error, change }} />
        </Section>
        <Section title={texts.storage} lead={texts.storageLead}>
          <Usage {...company} />
        </Section>
        <Section title={texts.integrations} lead={texts.integrationsLead}>
          <CopyField label={texts.id} value={company._id} hint={texts.idHint} />
        </Section>
      </form>
      <SingleSignOnSection />
      {isAsked && <RequireDialog save={() => save.mutateAsync({ form: draft, changes })} onClose={() => ask(false)} />}
    </Page>
  );
}

/** Only those who have all rights change it: the provider decides who logs in. */
function SingleSignOnSection(): ReactElement | null {
  const texts = useTexts(SINGLE_SIGN_ON_SETTINGS);
  if (!useMay('*')) return null;
  return (
    <div className={`${styles['form']} ${styles['apart']}`}>
      <Section title={texts.title} lead={texts.titleLead}>
        <SingleSignOnFields />
      </Section>
    </div>
  );
}

interface SectionProps {
  title: string;
  lead: string;
  /** Whether its fields are only shown. */
  isLocked?: boolean;
  children: ReactNode;
}

/** A heading with an explanation, beside its fields. */
function Section({ title, lead, isLocked = false, children }: SectionProps): ReactElement {
  const id = useId();
  return (
    <section className={styles['section']} aria-labelledby={id}>
      <div>
        <h2 id={id}>{title}</h2>
        <p className={styles['lead']}>{lead}</p>
      </div>
      <fieldset className={styles['fields']} disabled={isLocked} aria-labelledby={id}>
        {children}
      </fieldset>
    </section>
  );
}

function ProfileFields({ draft, error, change }: FieldsProps): ReactElement {
  const texts = useTexts(COMPANY);
  return (
    <>
      <TextField
        label={texts.name}
        autoComplete="organization"
        value={draft.name}
        onChange={(name) => change({ name })}
        error={explainField(error, 'name')}
      />
      <TextField
        label={texts.site}
        type="url"
        placeholder="https://"
        value={draft.site}
        onChange={(site) => change({ site })}
        error={explainField(error, 'site')}
      />
      <FieldGrid>
        <SelectField
          label={texts.documentType}
          value={draft.document_type}
          options={[
            { value: '', label: texts.noDocument },
            { value: 'CNPJ', label: 'CNPJ' },
            { value: 'CPF', label: 'CPF' },
            { value: 'OTHER', label: texts.otherDocument },
          ]}
          onChange={(document_type) => change({ document_type })}
          error={explainField(error, 'document_type')}
        />
        <TextField
          label={texts.documentNumber}
          value={draft.document_number}
          onChange={(document_number) => change({ document_number })}
          error={explainField(error, 'document_number')}
        />
      </FieldGrid>
    </>
  );
}
