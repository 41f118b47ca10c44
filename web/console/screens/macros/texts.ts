import { defineTexts } from '../../texts/texts.ts';

export const MACROS = defineTexts(
  {
    lead: 'Several actions on a conversation with one click. Run them from the head of a conversation or with Ctrl-K.',
    create: 'New macro',
    nothing: 'No macros yet',
    name: 'Name',
    actions: 'Actions',
    audience: 'Who can use it',
    audienceHint: 'It cannot be changed later.',
    PERSONAL: 'Only you',
    SHARED: 'Everyone in the company',
    removed: (name: string) => `${name} was removed`,
  },
  {
    'pt-BR': {
      lead: 'Várias ações em uma conversa com um clique. Execute-as no topo de uma conversa ou com Ctrl-K.',
      create: 'Nova macro',
      nothing: 'Nenhuma macro ainda',
      name: 'Nome',
      actions: 'Ações',
      audience: 'Quem pode usar',
      audienceHint: 'Não pode ser mudado depois.',
      PERSONAL: 'Só você',
      SHARED: 'Todos na empresa',
      removed: (name) => `${name} foi removida`,
    },
    es: {
      lead: 'Varias acciones en una conversación con un clic. Ejecútelas en la parte superior de una conversación o con Ctrl-K.',
      create: 'Macro nueva',
      nothing: 'Ninguna macro todavía',
      name: 'Nombre',
      actions: 'Acciones',
      audience: 'Quién puede usarla',
      audienceHint: 'No se puede cambiar después.',
      PERSONAL: 'Solo usted',
      SHARED: 'Todos en la empresa',
      removed: (name) => `${name} se eliminó`,
    },
  },
);
