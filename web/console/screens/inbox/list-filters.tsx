/** By what the list of a view can be filtered: the menu, and what is chosen of it. */
import { Suspense, useState, type ReactElement } from 'react';
import type { ConversationFilter } from '../../records/conversation-filters.ts';
import { useInboxes, usePipelines, useTeams, useUsers } from '../../records/company.ts';
import { CHANNEL_NAMES } from '../../texts/channels.ts';
import { PRIORITIES, PRIORITY_NAMES, SLA_STATES } from '../../texts/conversation-states.ts';
import { formatShortDuration } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { readFilters, useFieldFilters, useSentences, writeFilters, type Filter } from '../../ui/filters/filters.ts';
import { lazyPart, LoadingDialog } from '../../ui/lazy-part.tsx';
import type { MenuItem, Submenu } from '../../ui/menu.tsx';
import { changeListFilter, ME, toggleListFilter, useListOptions, type ListFilter } from './list-options.ts';
import { TagDialog } from './tag-dialog.tsx';
import { INBOX } from './texts.ts';
import { VIEWS } from './view-texts.ts';

const FilterDialog = lazyPart(async () => (await import('../../ui/filters/filter-dialog.tsx')).FilterDialog);

interface Chip {
  key: string;
  label: string;
  onRemove(): void;
}

interface ListFilters {
  items: (MenuItem | Submenu)[];
  /** What is chosen. */
  chips: Chip[];
  /** What asks for a value that no menu lists. */
  dialog: ReactElement | null;
}

/** `base`: what the view shows before it is filtered. The menu does not offer what the view itself decides. */
export function useListFilters(view: string, base: ConversationFilter): ListFilters {
  const texts = useTexts(INBOX);
  const { tag: nameTag } = useTexts(VIEWS);
  const [asks, ask] = useState<'TAG' | 'FIELD' | null>(null);
  const { filter } = useListOptions(view);
  const { tag } = filter;
  const choices = useChoices();
  const fields = useFieldFilters('conversation');
  const write = useSentences(fields.fields);
  const close = (): void => ask(null);
  const toItem = ({ label, heading, ...choice }: Choice): MenuItem => ({
    key: JSON.stringify(choice.filter),
    label: heading ?? label,
    isChosen: isChosen(filter, choice.filter),
    onSelect: () => toggleListFilter(view, filter, choice.filter),
  });
  const isOpen = (name: keyof ListFilter): boolean => base[name] === undefined;
  const groups = choices.groups.filter(({ name, choices: of }) => of.length > 0 && isOpen(name));
  const filters = readFilters(filter.filters ?? null);
  const setFilters = (next: readonly Filter[]): void => {
    const written = writeFilters(next);
    const { filters: _, ...others } = filter;
    changeListFilter(view, written === undefined ? others : { ...others, filters: written });
  };
  const opening = (key: 'TAG' | 'FIELD', label: string): MenuItem => ({ key, label, onSelect: () => ask(key) });
  const chosen = [...choices.states, ...groups.flatMap((group) => group.choices)].filter((choice) =>
    isChosen(filter, choice.filter),
  );
  return {
    items: [
      ...choices.states.map(toItem),
      ...groups.map(({ name, label, choices: of }) => ({ key: name, label, items: of.map(toItem) })),
      ...(isOpen('tag') ? [opening('TAG', texts.withTag)] : []),
      ...(fields.fields.length > 0 ? [opening('FIELD', texts.customField)] : []),
    ],
    chips: [
      ...chosen.map((choice) => ({
        key: JSON.stringify(choice.filter),
        label: choice.label,
        onRemove: () => toggleListFilter(view, filter, choice.filter),
      })),
      ...(tag === undefined
        ? []
        : [{ key: 'tag', label: nameTag(tag), onRemove: () => toggleListFilter(view, filter, { tag }) }]),
      ...filters.map((each, index) => ({
        key: JSON.stringify(each),
        label: write(each),
        onRemove: () => setFilters(filters.toSpliced(index, 1)),
      })),
    ],
    dialog:
      asks === 'TAG' ? (
        <TagDialog
          onChoose={(chosenTag) => {
            changeListFilter(view, { ...filter, tag: chosenTag });
            close();
          }}
          onClose={close}
        />
      ) : asks === 'FIELD' ? (
        <Suspense fallback={<LoadingDialog onClose={close} />}>
          <FilterDialog
            filterable={fields}
            filter={null}
            onApply={(added) => {
              setFilters([...filters, added]);
              close();
            }}
            onClose={close}
          />
        </Suspense>
      ) : null,
  };
}

const isChosen = (filter: ListFilter, wanted: ListFilter): boolean =>
  (Object.keys(wanted) as (keyof ListFilter)[]).every((name) => filter[name] === wanted[name]);

interface Choice {
  /** What stands above the list when it is chosen. */
  label: string;
  /** What stands in the menu, if it differs. */
  heading?: string;
  filter: ListFilter;
}

interface Group {
  name: keyof ListFilter;
  label: string;
  choices: Choice[];
}

const WAITING_MINUTES = [5, 15, 30, 60, 240, 1_440];

/** What the menu lists: states first, and then what is chosen among records and words. */
function useChoices(): { states: Choice[]; groups: Group[] } {
  const texts = useTexts(INBOX);
  const states = useTexts(SLA_STATES);
  const priorities = useTexts(PRIORITY_NAMES);
  const users = useUsers().filter(({ status }) => status !== 'INACTIVE');
  const inboxes = useInboxes().filter(({ status }) => status === 'ACTIVE');
  const channels = [...new Set(inboxes.map(({ channel }) => channel))];
  const steps = usePipelines().flatMap((pipeline) => pipeline.steps);
  const teams = useTeams();
  const orMore = (list: Choice[], least: number): Choice[] => (list.length < least ? [] : list);
  return {
    states: [
      { label: texts.unread, filter: { unread: true } },
      ...(['BREACHED', 'DUE_SOON'] as const).map((sla) => ({ label: states[sla], filter: { sla } })),
    ],
    groups: [
      {
        name: 'waiting_longer_than',
        label: texts.waitingOver,
        choices: WAITING_MINUTES.map((minutes) => {
          const heading = formatShortDuration(minutes);
          return { label: texts.waitingOverTime(heading), heading, filter: { waiting_longer_than: minutes } };
        }),
      },
      {
        name: 'priority',
        label: texts.priority,
        choices: PRIORITIES.map((priority) => ({ label: priorities[priority], filter: { priority } })),
      },
      {
        name: 'owner',
        label: texts.owner,
        choices: [
          { label: texts.mine, filter: { owner: ME } },
          { label: texts.unassigned, filter: { owner: 'none' } },
          ...users.map(({ _id, name }) => ({ label: texts.assignedTo(name), heading: name, filter: { owner: _id } })),
        ],
      },
      {
        name: 'team',
        label: texts.team,
        choices: teams.map(({ _id, name }) => ({ label: name, filter: { team: _id } })),
      },
      {
        name: 'inbox',
        label: texts.inbox,
        choices: orMore(
          inboxes.map(({ _id, name }) => ({ label: name, filter: { inbox: _id } })),
          2,
        ),
      },
      {
        name: 'channel',
        label: texts.channel,
        choices: orMore(
          channels.map((channel) => ({ label: CHANNEL_NAMES[channel], filter: { channel } })),
          2,
        ),
      },
      {
        name: 'step',
        label: texts.step,
        choices: steps.map(({ _id, name }) => ({ label: name, filter: { step: _id } })),
      },
    ],
  };
}
