/** Invites a person, changes what a person may do, or removes one. */
import type { User, UserChanged, UserUpdate } from '@parley/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useMay, useSession } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { explainField } from '../../ui/problem.ts';
import { RemoveButton } from '../../ui/remove-button.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { InviteAgain } from './invitation-link.tsx';
import { ROLE_HINTS, USERS } from './texts.ts';
import { forgetUser, showUser } from './user-list.ts';
import { WaysIn } from './ways-in.tsx';

const ROLES = ['OWNER', 'ADMIN', 'OPERATOR', 'VIEWER'] as const;

/** An invitation is accepted by the person alone. */
const chooseStatus = ({ status }: User, isActive: boolean): Pick<UserUpdate, 'status'> =>
  status === 'INVITED' ? {} : { status: isActive ? 'ACTIVE' : 'INACTIVE' };

interface UserDialogProps {
  /** Null invites a new person. */
  user: User | null;
  onClose(changed: UserChanged | null): void;
  /** The answer has the link of an invitation, which no other answer will have. */
  onInvited(invitation: { name: string; link: string }): void;
}

export function UserDialog({ user, onClose, onInvited }: UserDialogProps): ReactElement {
  const texts = useTexts(USERS);
  const hints = useTexts(ROLE_HINTS);
  const common = useTexts(COMMON);
  const [name, setName] = useState(user?.name ?? '');
  const [email, setEmail] = useState(user?.email ?? '');
  const [picture, setPicture] = useState(user?.avatar_url ?? '');
  const [role, setRole] = useState<User['role']>(user?.role ?? 'OPERATOR');
  const [isActive, setActive] = useState(user?.status !== 'INACTIVE');
  const close = ({ invitation_link: link, ...changed }: UserChanged, notice: string): void => {
    showUser(changed);
    if (link !== undefined) return onInvited({ name: changed.name, link });
    showNotice(notice);
    onClose(changed);
  };
  const save = useMutation({
    mutationFn: (): Promise<UserChanged> => {
      if (!user) return parley.users.create({ name, email, role });
      const avatar_url = picture.trim() || null;
      return parley.users.update(user._id, { name, email, role, avatar_url, ...chooseStatus(user, isActive) });
    },
    onSuccess: (changed) => close(changed, user ? common.saved : texts.invited(email)),
  });
  const error = save.error;
  return (
    <Dialog
      title={user ? user.name : texts.invite}
      onClose={() => onClose(null)}
      actions={
        <>
          {user && <RemoveUser user={user} onRemoved={onClose} />}
          {user?.status === 'INVITED' && (
            <InviteAgain user={user._id} onInvited={(changed) => close(changed, texts.invited(user.email))} />
          )}
          <Button onClick={() => onClose(null)}>{common.cancel}</Button>
          <Button kind="primary" isBusy={save.isPending} onClick={() => save.mutate()}>
            {user ? common.save : texts.sendInvitation}
          </Button>
        </>
      }
    >
      <FormProblem error={error} fields={['name', 'email', 'role', 'avatar_url', 'status']} />
      <TextField label={texts.name} value={name} onChange={setName} error={explainField(error, 'name')} />
      <TextField
        label={texts.email}
        type="email"
        value={email}
        onChange={setEmail}
        error={explainField(error, 'email')}
      />
      <SelectField
        label={texts.role}
        hint={hints[role]}
        value={role}
        options={ROLES.map((value) => ({ value, label: texts[value] }))}
        onChange={setRole}
        error={explainField(error, 'role')}
      />
      {user && (
        <TextField
          label={texts.picture}
          hint={texts.pictureHint}
          type="url"
          value={picture}
          onChange={setPicture}
          error={explainField(error, 'avatar_url')}
        />
      )}
      {user && user.status !== 'INVITED' && (
        <CheckField
          label={texts.mayLogIn}
          checked={isActive}
          onChange={setActive}
          error={explainField(error, 'status')}
        />
      )}
      {user && <WaysIn user={user} onChanged={onClose} />}
    </Dialog>
  );
}

function RemoveUser({ user, onRemoved }: { user: User; onRemoved(changed: UserChanged): void }): ReactElement | null {
  const { user: self } = useSession();
  const may = useMay('users:delete');
  const texts = useTexts(USERS);
  const { open, scheduled } = useLeft(user._id);
  if (!may || user._id === self._id) return null;
  const meaning = [
    open !== undefined && texts.openLeft(open),
    open !== 0 && texts.removeMeaning,
    scheduled !== undefined && scheduled > 0 && texts.scheduledLeft(scheduled),
    texts.ownRemoved,
  ];
  return (
    <RemoveButton
      meaning={meaning.filter((part) => part !== false).join(' ')}
      remove={() => parley.users.delete(user._id)}
      onRemoved={(removed) => {
        forgetUser(user._id);
        onRemoved(removed);
      }}
    />
  );
}

/**
 * How many open conversations a user owns, and how many messages are still to be sent in the user's name; undefined while it is not known, or
 * when the caller may not read it.
 */
function useLeft(user: string): Record<'open' | 'scheduled', number | undefined> {
  const mayCount = useMay('conversations:read');
  const mayRead = useMay('messages:read');
  const open = useQuery({
    queryKey: ['open-conversations', user],
    queryFn: ({ signal }) => parley.conversations.list({ owner: user, open: true, limit: 1 }, { signal }),
    enabled: mayCount,
    staleTime: 0,
  });
  const scheduled = useQuery({
    queryKey: ['scheduled-by', user],
    queryFn: ({ signal }) =>
      parley.scheduledMessages.list({ created_by: user, status: 'SCHEDULED', limit: 1 }, { signal }),
    enabled: mayRead,
    staleTime: 0,
  });
  return { open: open.data?.meta.totalCount ?? undefined, scheduled: scheduled.data?.meta.totalCount ?? undefined };
}
