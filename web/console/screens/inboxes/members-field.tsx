import type { ReactElement } from 'react';
import { useTeams, useUsers } from '../../records/company.ts';
import { useTexts } from '../../texts/texts.ts';
import { ChoicesField } from '../../ui/choices-field.tsx';
import { CheckField } from '../../ui/field.tsx';
import { explainField } from '../../ui/problem.ts';
import type { DraftProps } from './draft.ts';
import { SETTINGS } from './settings-texts.ts';

/** Owners and admins see every inbox, so they are not offered. */
const CHOSEN_ROLES = ['OPERATOR', 'VIEWER'];

/** Who sees the inbox: all users, or these users and teams. */
export function MembersField({ draft: { members }, change, error }: DraftProps): ReactElement {
  const texts = useTexts(SETTINGS);
  const teams = useTeams();
  const users = useUsers()
    .filter(
      ({ _id, role, status }) => members?.users.includes(_id) || (CHOSEN_ROLES.includes(role) && status !== 'INACTIVE'),
    )
    .toSorted((a, b) => a.name.localeCompare(b.name));
  return (
    <>
      <CheckField
        label={texts.members}
        hint={texts.membersHint}
        checked={members !== null}
        onChange={(isOn) => change({ members: isOn ? { users: [], teams: [] } : null })}
        error={explainField(error, 'members')}
      />
      {members && teams.length > 0 && (
        <ChoicesField
          label={texts.memberTeams}
          options={teams}
          chosen={members.teams}
          onChange={(chosen) => change({ members: { ...members, teams: chosen } })}
        />
      )}
      {members && users.length > 0 && (
        <ChoicesField
          label={texts.memberUsers}
          options={users}
          chosen={members.users}
          onChange={(chosen) => change({ members: { ...members, users: chosen } })}
        />
      )}
    </>
  );
}
