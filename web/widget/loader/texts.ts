import { defineTexts } from '../../browser/texts.ts';

export const LAUNCHER = defineTexts(
  {
    chat: 'Chat',
    open: 'Open the chat',
    close: 'Close the chat',
    unread: (count: number): string =>
      count === 1 ? 'Open the chat, 1 unread message' : `Open the chat, ${count} unread messages`,
  },
  {
    'pt-BR': {
      chat: 'Chat',
      open: 'Abrir o chat',
      close: 'Fechar o chat',
      unread: (count: number): string =>
        count === 1 ? 'Abrir o chat, 1 mensagem não lida' : `Abrir o chat, ${count} mensagens não lidas`,
    },
    es: {
      chat: 'Chat',
      open: 'Abrir el chat',
      close: 'Cerrar el chat',
      unread: (count: number): string =>
        count === 1 ? 'Abrir el chat, 1 mensaje sin leer' : `Abrir el chat, ${count} mensajes sin leer`,
    },
  },
);
