/** What systems of the company say about the contact: a section for each MCP server with a look-up, which is called when it is unfolded. */
import type { ContactLookUp } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parley } from '../../../../client.ts';
import { useCompany } from '../../../../records/company.ts';
import { useMcpServers } from '../../../../records/mcp-servers.ts';
import { CONTACT_FIELDS } from '../../../../texts/contact-fields.ts';
import { useTexts } from '../../../../texts/texts.ts';
import { Button } from '../../../../ui/button.tsx';
import { Details } from '../../../../ui/details.tsx';
import { readRecords } from './look-up-records.ts';
import { LOOK_UPS } from './look-up-texts.ts';
import styles from './panel.module.css';
import { NotLoaded, Section } from './section.tsx';

export function LookUps({ contact }: { contact: string }): ReactElement | null {
  const company = useCompany();
  return company?.client_mcp_servers_enabled ? <Servers contact={contact} /> : null;
}

function Servers({ contact }: { contact: string }): ReactElement {
  const { data: servers = [] } = useMcpServers();
  return (
    <>
      {servers
        .filter(({ look_up }) => look_up !== null)
        .map(({ _id, name }) => (
          <Section key={_id} name={`look-up-${_id}`} title={name}>
            <LookUp contact={contact} server={_id} />
          </Section>
        ))}
    </>
  );
}

/** The server may be slow and count its calls, so it is only called for another contact, or when somebody asks again. */
const FRESH_MS = 300_000;

function LookUp({ contact, server }: { contact: string; server: string }): ReactElement {
  const texts = useTexts(LOOK_UPS);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['look-up', server, contact],
    queryFn: ({ signal }) => parley.contacts.lookUp(contact, server, { signal }),
    staleTime: FRESH_MS,
    refetchOnWindowFocus: false,
  });
  return (
    <>
      {!data && <NotLoaded error={error} />}
      {data && <Found look={data} />}
      {(data ?? error) && (
        <Button kind="quiet" icon="refresh" isBusy={isFetching} onClick={() => void refetch()}>
          {texts.again}
        </Button>
      )}
    </>
  );
}

function Found({ look: { text, cut, error, missing } }: { look: ContactLookUp }): ReactElement {
  const texts = useTexts(LOOK_UPS);
  const fields = useTexts(CONTACT_FIELDS);
  if (missing.length > 0) {
    const names = missing.map((variable) => nameVariable(variable, fields));
    return <p className={styles['soft']}>{texts.missing(names.join(', '))}</p>;
  }
  if (error !== null) return <p role="alert">{texts.failed(error)}</p>;
  const records = readRecords(text ?? '', cut);
  if (records?.length === 0 || text?.trim() === '') return <p className={styles['soft']}>{texts.nothing}</p>;
  return (
    <>
      {records ? (
        <Records records={records} />
      ) : (
        <p className={styles['words']} dir="auto">
          {text}
        </p>
      )}
      {cut && <p className={styles['soft']}>{texts.cut}</p>}
    </>
  );
}

function Records({ records }: { records: NonNullable<ReturnType<typeof readRecords>> }): ReactElement {
  return (
    <ul className={styles['records']}>
      {records.map((record, place) => (
        // Two records can be equal, so the position is the key.
        <li key={place}>
          <Details layout="lines" items={record} />
        </li>
      ))}
    </ul>
  );
}

/** `contact.email` has the name of its field; a custom field is named by its slug. */
function nameVariable(variable: string, fields: Record<string, string>): string {
  const field = variable.replace(/^contact\./, '');
  return (
    new Map(Object.entries(fields)).get(field.replace(/^first_name$/, 'name')) ?? field.replace(/^custom_fields\./, '')
  );
}
