/** Downloads everything that is stored about a contact, for a person who asks for their data. */
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parley } from '../../client.ts';
import { holdsScope, useSession } from '../../session/session.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { saveFile } from '../../ui/download.ts';
import { Menu } from '../../ui/menu.tsx';
import { showError } from '../../ui/toast.tsx';

const DATA = defineTexts(
  {
    title: 'Download data',
    contents:
      'The contact, table rows and campaigns; conversations with messages, scheduled messages, follow-ups, work of agents, ratings and files',
    all: 'All data',
    withNotes: "All data with the team's notes",
  },
  {
    'pt-BR': {
      title: 'Baixar os dados',
      contents:
        'O contato, linhas de tabelas e campanhas; conversas com mensagens, mensagens agendadas, acompanhamentos, trabalho de agentes, avaliações e arquivos',
      all: 'Todos os dados',
      withNotes: 'Todos os dados com as notas da equipe',
    },
    es: {
      title: 'Descargar los datos',
      contents:
        'El contacto, filas de tablas y campañas; conversaciones con mensajes, mensajes programados, seguimientos, trabajo de agentes, valoraciones y archivos',
      all: 'Todos los datos',
      withNotes: 'Todos los datos con las notas del equipo',
    },
  },
);

/** A user without one of them would get less than the name of the button promises. */
const SCOPES = ['conversations', 'messages', 'attachments', 'tables', 'campaigns', 'agents'].map(
  (kind) => `${kind}:read`,
);

export function DataMenu({ contact }: { contact: string }): ReactElement | null {
  const texts = useTexts(DATA);
  const { scopes } = useSession();
  const { mutate: save, isPending } = useMutation({
    mutationFn: async (notes: boolean) =>
      saveFile(await parley.contacts.getData(contact, { notes }), `contact-${contact}.zip`),
    onError: showError,
  });
  if (!SCOPES.every((scope) => holdsScope(scopes, scope))) return null;
  return (
    <Menu
      title={texts.contents}
      items={[
        { key: 'all', label: texts.all, icon: 'download', onSelect: () => save(false) },
        { key: 'notes', label: texts.withNotes, icon: 'note', onSelect: () => save(true) },
      ]}
      trigger={
        <Button icon="download" isBusy={isPending}>
          {texts.title}
        </Button>
      }
    />
  );
}
