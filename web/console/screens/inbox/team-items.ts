/** The teams as items of a menu that assigns conversations. */
import type { Conversation } from '@parley/sdk';
import { useTeams } from '../../records/company.ts';
import { useTexts } from '../../texts/texts.ts';
import type { MenuItem } from '../../ui/menu.tsx';
import { THREAD } from './thread/texts.ts';

interface TeamChange {
  team: string | null;
  owner?: null;
}

/** `conversation` is null for several: their owners stay. A single one is taken from an owner who is no member of the new team. */
export function useTeamItems(
  conversation: Pick<Conversation, 'team' | 'owner'> | null,
  apply: (change: TeamChange) => void,
): MenuItem[] {
  const texts = useTexts(THREAD);
  const teams = useTeams();
  if (teams.length === 0) return [];
  const isStranger = (members: readonly string[]): boolean =>
    conversation !== null && conversation.owner !== null && !members.includes(conversation.owner);
  const none: MenuItem = {
    key: 'no-team',
    label: texts.noTeam,
    heading: texts.team,
    isChosen: conversation?.team === null,
    onSelect: () => apply({ team: null }),
  };
  return [
    none,
    ...teams.map(({ _id, name, members }): MenuItem => ({
      key: _id,
      label: name,
      icon: 'contacts',
      isChosen: conversation?.team === _id,
      onSelect: () => apply({ team: _id, ...(isStranger(members) && { owner: null }) }),
    })),
  ];
}
