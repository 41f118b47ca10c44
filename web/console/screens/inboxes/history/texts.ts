import type { Inbox } from '@parley/sdk';
import { defineTexts } from '../../../texts/texts.ts';

export const PHONE_HISTORY = defineTexts(
  {
    title: 'Earlier messages of the phone',
    REQUESTED:
      'This number is also used in the WhatsApp Business app. Its earlier messages have been requested; nothing has arrived yet. Keep the app open on the phone.',
    REQUESTING:
      'This number is also used in the WhatsApp Business app. Its earlier messages are being requested. Keep the app open on the phone.',
    RECEIVING: (share: string) => `${share} of the earlier messages have arrived. They appear in closed conversations.`,
    COMPLETE: 'All earlier messages that WhatsApp sent have arrived. They are in closed conversations.',
    DECLINED: 'The earlier messages were not shared when the number was connected. New messages arrive as usual.',
    NONE: 'No earlier messages arrived within 24 hours. New messages arrive as usual.',
    FAILED: 'The earlier messages could not be fetched. New messages arrive as usual.',
    since: (moment: string) => `Last change: ${moment}`,
  },
  {
    'pt-BR': {
      title: 'Mensagens anteriores do celular',
      REQUESTED:
        'Este número também é usado no app WhatsApp Business. As mensagens anteriores foram solicitadas; nada chegou ainda. Mantenha o app aberto no celular.',
      REQUESTING:
        'Este número também é usado no app WhatsApp Business. As mensagens anteriores estão sendo solicitadas. Mantenha o app aberto no celular.',
      RECEIVING: (share: string) =>
        `${share} das mensagens anteriores já chegaram. Elas aparecem em conversas encerradas.`,
      COMPLETE: 'Chegaram todas as mensagens anteriores que o WhatsApp enviou. Elas estão em conversas encerradas.',
      DECLINED:
        'As mensagens anteriores não foram compartilhadas na conexão do número. As novas mensagens chegam normalmente.',
      NONE: 'Nenhuma mensagem anterior chegou em 24 horas. As novas mensagens chegam normalmente.',
      FAILED: 'Não foi possível buscar as mensagens anteriores. As novas mensagens chegam normalmente.',
      since: (moment: string) => `Última mudança: ${moment}`,
    },
    es: {
      title: 'Mensajes anteriores del teléfono',
      REQUESTED:
        'Este número también se usa en la app WhatsApp Business. Se solicitaron sus mensajes anteriores; aún no ha llegado ninguno. Mantenga la app abierta en el teléfono.',
      REQUESTING:
        'Este número también se usa en la app WhatsApp Business. Se están solicitando sus mensajes anteriores. Mantenga la app abierta en el teléfono.',
      RECEIVING: (share: string) =>
        `Ha llegado el ${share} de los mensajes anteriores. Aparecen en conversaciones cerradas.`,
      COMPLETE: 'Llegaron todos los mensajes anteriores que envió WhatsApp. Están en conversaciones cerradas.',
      DECLINED:
        'Los mensajes anteriores no se compartieron al conectar el número. Los mensajes nuevos llegan con normalidad.',
      NONE: 'No llegó ningún mensaje anterior en 24 horas. Los mensajes nuevos llegan con normalidad.',
      FAILED: 'No se pudieron obtener los mensajes anteriores. Los mensajes nuevos llegan con normalidad.',
      since: (moment: string) => `Último cambio: ${moment}`,
    },
  },
);

/** What the badge says. */
export const HISTORY_STATES = defineTexts<Record<NonNullable<Inbox['history']>['status'] | 'REQUESTING', string>>(
  {
    REQUESTING: 'Being requested',
    REQUESTED: 'Requested',
    RECEIVING: 'Arriving',
    COMPLETE: 'Complete',
    DECLINED: 'Not shared',
    NONE: 'None arrived',
    FAILED: 'Failed',
  },
  {
    'pt-BR': {
      REQUESTING: 'Sendo solicitadas',
      REQUESTED: 'Solicitadas',
      RECEIVING: 'Chegando',
      COMPLETE: 'Completas',
      DECLINED: 'Não compartilhadas',
      NONE: 'Nenhuma chegou',
      FAILED: 'Falhou',
    },
    es: {
      REQUESTING: 'Solicitándose',
      REQUESTED: 'Solicitados',
      RECEIVING: 'Llegando',
      COMPLETE: 'Completos',
      DECLINED: 'No compartidos',
      NONE: 'Ninguno llegó',
      FAILED: 'Falló',
    },
  },
);
