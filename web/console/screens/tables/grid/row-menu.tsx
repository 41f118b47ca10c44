/** What can be done with a whole row, behind its number: it belongs to a contact, or to none, and it can be removed. */
import type { Contact, Row } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import { parley, toScreen } from '../../../client.ts';
import { describeContact, findContacts, nameContact, useContact } from '../../../records/contacts.ts';
import { forgetRow, rereadContactRows, showRow } from '../../../records/tables.ts';
import { useMay } from '../../../session/session.ts';
import { formatNumber } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Menu, type MenuItem } from '../../../ui/menu.tsx';
import { RecordPicker } from '../../../ui/record-picker.tsx';
import { RemoveDialog } from '../../../ui/remove-dialog.tsx';
import { showError } from '../../../ui/toast.tsx';
import { GRID } from '../texts.ts';
import styles from './grid.module.css';

interface RowMenuProps {
  row: Row;
  /** What makes the number a cell of the grid. */
  about: { id: string; tabIndex: number };
  /** Moves to another row, because this one is about to go. */
  onRemove(): void;
}

export function RowMenu({ row, about, onRemove }: RowMenuProps): ReactElement {
  const texts = useTexts(GRID);
  const [asks, ask] = useState<'CONTACT' | 'REMOVE' | null>(null);
  const number = formatNumber(row.row_index);
  const items = useItems(row, ask);
  const shown = (
    <>
      <span>{number}</span>
      {row.contact_id !== undefined && <Icon name="person" size={13} />}
    </>
  );
  const close = (): void => ask(null);
  if (items.length === 0) return <span {...about}>{shown}</span>;
  return (
    <>
      <Menu
        title={row.contact_id === undefined ? texts.number(number) : <ContactName id={row.contact_id} />}
        items={items}
        trigger={
          <button {...about} type="button" className={styles['act']} aria-label={texts.number(number)}>
            {shown}
            <Icon name="more" size={15} />
          </button>
        }
      />
      {asks === 'CONTACT' && <LinkDialog row={row} onClose={close} />}
      {asks === 'REMOVE' && (
        <RemoveDialog
          title={texts.removeRow(number)}
          lead={texts.removeLead}
          remove={() => parley.tables.deleteRow(row.table, row._id)}
          onRemoved={() => {
            onRemove();
            forgetRow(row);
          }}
          onClose={close}
        />
      )}
    </>
  );
}

/** Loads the name of the row's contact when the menu opens. */
function ContactName({ id }: { id: string }): string {
  const { data: contact } = useContact(id);
  return contact ? nameContact(contact) : '…';
}

function useItems(row: Row, ask: (what: 'CONTACT' | 'REMOVE') => void): MenuItem[] {
  const texts = useTexts(GRID);
  const [, navigate] = useLocation();
  const mayUpdate = useMay('tables:update');
  const mayRead = useMay('contacts:read');
  const mayRemove = useMay('tables:delete');
  const link = useLink(row);
  const { contact_id: contact } = row;
  const items: (MenuItem | false)[] = [
    mayRead &&
      contact !== undefined && {
        key: 'open',
        label: texts.openContact,
        icon: 'contacts',
        onSelect: () => navigate(toScreen(`/contacts/${contact}`)),
      },
    mayRead &&
      mayUpdate && {
        key: 'link',
        label: contact === undefined ? texts.linkContact : texts.changeContact,
        icon: 'person',
        onSelect: () => ask('CONTACT'),
      },
    mayUpdate &&
      contact !== undefined && {
        key: 'unlink',
        label: texts.unlinkContact,
        icon: 'close',
        onSelect: () => link.mutate(null),
      },
    mayRemove && {
      key: 'remove',
      label: texts.removeRow(formatNumber(row.row_index)),
      icon: 'remove',
      isDangerous: true,
      onSelect: () => ask('REMOVE'),
    },
  ];
  return items.filter((item) => item !== false);
}

/** Changes whose row it is; null makes it nobody's. */
function useLink(row: Row, onDone?: () => void) {
  return useMutation({
    mutationFn: (contact_id: string | null) => parley.tables.updateRow(row.table, row._id, { contact_id }),
    onSuccess: (changed) => {
      showRow(changed);
      rereadContactRows();
      onDone?.();
    },
    onError: showError,
  });
}

function LinkDialog({ row, onClose }: { row: Row; onClose(): void }): ReactElement {
  const texts = useTexts(GRID);
  const link = useLink(row, onClose);
  return (
    <Dialog title={texts.linkTitle(formatNumber(row.row_index))} onClose={onClose}>
      <RecordPicker<Contact>
        label={texts.contact}
        noun="contacts"
        search={findContacts}
        name={nameContact}
        about={describeContact}
        onChoose={({ _id }) => link.mutate(_id)}
      />
    </Dialog>
  );
}
