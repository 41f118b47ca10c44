/** What can be done with the selected contacts: tag, set the owner or a field, export, opt out, block, remove. */
import type { Contact, ContactChange } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { useCustomFields, useUsers } from '../../../records/company.ts';
import { startContactRun, useContactTotal } from '../../../records/contact-runs.ts';
import type { ContactChoice } from '../../../records/contacts.ts';
import { useMay } from '../../../session/session.ts';
import { formatNumber } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import type { Selection } from '../../../ui/bulk/selection.ts';
import { SelectionFrame } from '../../../ui/bulk/selection-frame.tsx';
import { TagsDialog } from '../../../ui/bulk/tags-dialog.tsx';
import { BULK } from '../../../ui/bulk/texts.ts';
import { IconButton } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { saveFile } from '../../../ui/download.ts';
import { Menu, type MenuItem } from '../../../ui/menu.tsx';
import { showError, showNotice } from '../../../ui/toast.tsx';
import { CONTACTS } from '../texts.ts';
import { nameChange } from './change-name.ts';
import { FieldDialog } from './field-dialog.tsx';
import { CONTACT_CHANGES } from './texts.ts';

type Apply = (change: ContactChange) => void;

interface SelectionBarProps {
  selection: Selection<Contact>;
  choice: ContactChoice;
}

export function ContactSelectionBar({ selection, choice }: SelectionBarProps): ReactElement {
  const bulk = useTexts(BULK);
  const texts = useTexts(CONTACT_CHANGES);
  const total = useContactTotal(choice);
  const [asked, ask] = useState<ContactChange | null>(null);
  const { items, isAll, clear } = selection;
  const begin = async (change: ContactChange): Promise<void> => {
    await startContactRun(isAll ? { filter: choice } : { contacts: items }, change);
    clear();
  };
  const applying = useMutation({ mutationFn: begin, onError: showError });
  const isAsked = (change: ContactChange): boolean =>
    isAll || ['remove', 'optOut', 'block', 'clear'].includes(nameChange(change));
  const apply: Apply = (change) => (isAsked(change) ? ask(change) : applying.mutate(change));
  // How many the action is about; null while that is not known.
  const count = isAll ? total : items.length;
  const action = asked && count !== null && texts[`${nameChange(asked)}All`](formatNumber(count));
  return (
    <SelectionFrame
      selection={selection}
      total={total}
      actions={<Actions {...{ selection, choice, apply }} isBusy={applying.isPending || count === null} />}
    >
      {asked && action && (
        <ConfirmDialog
          title={bulk.confirm(action)}
          lead={asked.delete ? texts.removeLead : texts.confirmLead}
          action={action}
          isDangerous={['remove', 'clear'].includes(nameChange(asked))}
          act={() => begin(asked)}
          onDone={() => ask(null)}
          onClose={() => ask(null)}
        />
      )}
    </SelectionFrame>
  );
}

function Actions({
  selection,
  choice,
  apply,
  isBusy,
}: SelectionBarProps & { apply: Apply; isBusy: boolean }): ReactElement {
  const texts = useTexts(CONTACT_CHANGES);
  const [dialog, open] = useState<'TAGS' | 'FIELD' | null>(null);
  const fields = useCustomFields('contact');
  const close = (): void => open(null);
  return (
    <>
      <IconButton icon="tag" label={useTexts(BULK).tags} disabled={isBusy} onClick={() => open('TAGS')} />
      <Menu
        title={texts.owner}
        items={useOwnerItems(apply)}
        trigger={<IconButton icon="person" label={texts.owner} disabled={isBusy} />}
      />
      {fields.length > 0 && (
        <IconButton icon="fields" label={texts.field} disabled={isBusy} onClick={() => open('FIELD')} />
      )}
      <Export {...{ selection, choice, isBusy }} />
      <Menu
        title={texts.more}
        items={useMoreItems(apply)}
        trigger={<IconButton icon="more" label={texts.more} disabled={isBusy} />}
      />
      {dialog === 'TAGS' && <TagsDialog apply={apply} onClose={close} />}
      {dialog === 'FIELD' && <FieldDialog fields={fields} apply={apply} onClose={close} />}
    </>
  );
}

/** As many contacts as the export takes by their ids. */
const MOST_LISTED = 100;

function Export({
  selection: { items, isAll },
  choice,
  isBusy,
}: SelectionBarProps & { isBusy: boolean }): ReactElement {
  const texts = useTexts(CONTACT_CHANGES);
  const { exported } = useTexts(CONTACTS);
  const save = useMutation({
    mutationFn: async () => {
      const chosen = isAll ? choice : { ids: items.map(({ _id }) => _id).join(',') };
      await saveFile(await parley.contacts.export(chosen), 'contacts.csv');
    },
    onSuccess: () => showNotice(exported),
    onError: showError,
  });
  const isTooLong = !isAll && items.length > MOST_LISTED;
  return (
    <IconButton
      icon="download"
      label={isTooLong ? texts.exportTooMany(formatNumber(MOST_LISTED)) : texts.export}
      disabled={isBusy || save.isPending}
      aria-disabled={isTooLong}
      onClick={() => (isTooLong ? showNotice(texts.exportTooMany(formatNumber(MOST_LISTED))) : save.mutate())}
    />
  );
}

function useOwnerItems(apply: Apply): MenuItem[] {
  const { nobodyOwns } = useTexts(CONTACTS);
  const users = useUsers().filter(({ status }) => status === 'ACTIVE');
  return [
    { key: 'none', label: nobodyOwns, onSelect: () => apply({ owner: null }) },
    ...users.map(({ _id, name }) => ({ key: _id, label: name, onSelect: () => apply({ owner: _id }) })),
  ];
}

function useMoreItems(apply: Apply): MenuItem[] {
  const texts = useTexts(CONTACT_CHANGES);
  const mayRemove = useMay('contacts:delete');
  const items: MenuItem[] = [
    { key: 'opt-out', label: texts.optOut, icon: 'pause', onSelect: () => apply({ opted_out: true }) },
    { key: 'block', label: texts.block, icon: 'stop', onSelect: () => apply({ blocked: true }) },
    { key: 'unblock', label: texts.unblock, icon: 'check', onSelect: () => apply({ blocked: false }) },
  ];
  const remove: MenuItem = {
    key: 'remove',
    label: texts.remove,
    icon: 'remove',
    isDangerous: true,
    onSelect: () => apply({ delete: true }),
  };
  return mayRemove ? [...items, remove] : items;
}
