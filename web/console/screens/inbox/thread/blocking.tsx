/** Blocks a contact, after a question, and unblocks it. */
import type { Contact } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { findReturn, returnToComposer } from '../../../frame/writing.ts';
import { nameContact, showContact } from '../../../records/contacts.ts';
import { useMay } from '../../../session/session.ts';
import { defineTexts, useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { showError } from '../../../ui/toast.tsx';
import styles from './composer.module.css';

const BLOCKING = defineTexts(
  {
    block: 'Block',
    unblock: 'Unblock',
    title: (name: string) => `Block ${name}?`,
    lead: 'Your team cannot send anything to the contact, and campaigns leave them out. Their messages still arrive, but are not unread and notify no one. You can unblock them at any time.',
    cannotSend: 'The contact is blocked, so nothing can be sent.',
  },
  {
    'pt-BR': {
      block: 'Bloquear',
      unblock: 'Desbloquear',
      title: (name) => `Bloquear ${name}?`,
      lead: 'Sua equipe não pode enviar nada ao contato, e as campanhas o deixam de fora. As mensagens dele continuam chegando, mas não contam como não lidas nem avisam ninguém. Você pode desbloqueá-lo a qualquer momento.',
      cannotSend: 'O contato está bloqueado, por isso nada pode ser enviado.',
    },
    es: {
      block: 'Bloquear',
      unblock: 'Desbloquear',
      title: (name) => `¿Bloquear a ${name}?`,
      lead: 'Su equipo no puede enviar nada al contacto, y las campañas lo dejan fuera. Sus mensajes siguen llegando, pero no cuentan como no leídos ni avisan a nadie. Puede desbloquearlo en cualquier momento.',
      cannotSend: 'El contacto está bloqueado, así que no se puede enviar nada.',
    },
  },
);

const setBlocked = ({ _id }: Contact, blocked: boolean): Promise<Contact> => parley.contacts.update(_id, { blocked });

export const BlockButton = ({ contact }: { contact: Contact }): ReactElement =>
  contact.blocked ? <UnblockButton contact={contact} /> : <AskingButton contact={contact} />;

function AskingButton({ contact }: { contact: Contact }): ReactElement {
  const texts = useTexts(BLOCKING);
  const [isAsked, ask] = useState(false);
  return (
    <>
      <Button onClick={() => ask(true)}>{texts.block}</Button>
      {isAsked && (
        <ConfirmDialog
          title={texts.title(nameContact(contact))}
          lead={texts.lead}
          action={texts.block}
          isDangerous
          act={() => setBlocked(contact, true)}
          onDone={showContact}
          onClose={() => ask(false)}
          finalFocus={findReturn}
        />
      )}
    </>
  );
}

function UnblockButton({ contact }: { contact: Contact }): ReactElement {
  const texts = useTexts(BLOCKING);
  const unblocking = useMutation({
    mutationFn: () => setBlocked(contact, false),
    onSuccess: (changed) => {
      showContact(changed);
      returnToComposer();
    },
    onError: showError,
  });
  return (
    <Button isBusy={unblocking.isPending} onClick={() => unblocking.mutate()}>
      {texts.unblock}
    </Button>
  );
}

/** Says in the composer that nothing can be sent to a blocked contact. */
export function BlockedNotice({ contact }: { contact: Contact }): ReactElement {
  const texts = useTexts(BLOCKING);
  const mayUnblock = useMay('contacts:update');
  return (
    <div className={styles['blocked']} role="status">
      <span>{texts.cannotSend}</span>
      {mayUnblock && <UnblockButton contact={contact} />}
    </div>
  );
}
