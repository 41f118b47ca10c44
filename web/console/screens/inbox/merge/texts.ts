import { defineTexts } from '../../../texts/texts.ts';

export const MERGE = defineTexts(
  {
    title: 'Merge this conversation into another one',
    which: 'Which conversation keeps the messages? These are of the same contact and inbox.',
    none: 'The contact has no other conversation in this inbox. To merge conversations of two contacts, merge the contacts first.',
    confirmTitle: 'Merge into this conversation?',
    moves:
      'All messages, notes and files move to it, in the order of their times. So do scheduled messages and followers.',
    status: 'If one of the two is open, its status, owner and team are kept. Tags are combined.',
    removed: 'The conversation that you are looking at is removed. This cannot be undone.',
    merge: 'Merge',
    merged: 'Conversations merged',
    noMessage: 'No messages',
  },
  {
    'pt-BR': {
      title: 'Unir esta conversa a outra',
      which: 'Qual conversa fica com as mensagens? Estas são do mesmo contato e da mesma caixa de entrada.',
      none: 'O contato não tem outra conversa nesta caixa de entrada. Para unir conversas de dois contatos, una primeiro os contatos.',
      confirmTitle: 'Unir a esta conversa?',
      moves:
        'Todas as mensagens, notas e arquivos passam para ela, na ordem dos horários. As mensagens agendadas e os seguidores também.',
      status: 'Se uma das duas está aberta, ficam o status, o responsável e a equipe dela. As etiquetas são somadas.',
      removed: 'A conversa que você está vendo é removida. Isto não pode ser desfeito.',
      merge: 'Unir',
      merged: 'As conversas foram unidas',
      noMessage: 'Sem mensagens',
    },
    es: {
      title: 'Unir esta conversación a otra',
      which: '¿Qué conversación se queda con los mensajes? Estas son del mismo contacto y de la misma bandeja.',
      none: 'El contacto no tiene otra conversación en esta bandeja. Para unir conversaciones de dos contactos, una primero los contactos.',
      confirmTitle: '¿Unir a esta conversación?',
      moves:
        'Todos los mensajes, notas y archivos pasan a ella, en el orden de sus horas. También los mensajes programados y los seguidores.',
      status:
        'Si una de las dos está abierta, se conservan su estado, su responsable y su equipo. Las etiquetas se suman.',
      removed: 'La conversación que está viendo se elimina. Esto no se puede deshacer.',
      merge: 'Unir',
      merged: 'Las conversaciones se han unido',
      noMessage: 'Sin mensajes',
    },
  },
);
