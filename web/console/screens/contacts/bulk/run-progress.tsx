/** How far the change of the selected contacts is, and which could not be changed. */
import type { ContactRun } from '@parley/sdk';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { CONTACT_RUNS } from '../../../records/contact-runs.ts';
import { nameContact, useContact } from '../../../records/contacts.ts';
import { useTexts } from '../../../texts/texts.ts';
import { RunBar } from '../../../ui/bulk/run-bar.tsx';
import { nameChange } from './change-name.ts';
import { CONTACT_CHANGES } from './texts.ts';

export function ContactRunProgress(): ReactElement {
  const texts = useTexts(CONTACT_CHANGES);
  return (
    <RunBar<ContactRun['failures'][number], ContactRun>
      runs={CONTACT_RUNS}
      describe={({ change }, count) => texts[`${nameChange(change)}Done`](count)}
      failure={({ contact }, close) => ({
        key: contact,
        record: (
          <Link href={`/${contact}`} onClick={close}>
            <Name id={contact} />
          </Link>
        ),
      })}
    />
  );
}

function Name({ id }: { id: string }): ReactElement {
  const { data: contact } = useContact(id);
  return <>{contact ? nameContact(contact) : id}</>;
}
