import { defineTexts } from '../../../texts/texts.ts';

export const DIALOGS = defineTexts(
  {
    searchHere: 'Search in this conversation',
    searchMessages: 'Search messages',
    changeTags: 'Add or remove tags',
  },
  {
    'pt-BR': {
      searchHere: 'Buscar nesta conversa',
      searchMessages: 'Buscar mensagens',
      changeTags: 'Adicionar ou remover etiquetas',
    },
    es: {
      searchHere: 'Buscar en esta conversación',
      searchMessages: 'Buscar mensajes',
      changeTags: 'Añadir o quitar etiquetas',
    },
  },
);
