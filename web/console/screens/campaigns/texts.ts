import { defineTexts } from '../../texts/texts.ts';

export const CAMPAIGNS = defineTexts(
  {
    lead: 'Messages that go to many contacts: one template, or a sequence of them.',
    newCampaign: 'New campaign',
    nothing: 'No campaign yet',
    searchHere: 'Search by name',
    allStates: 'All states',
    name: 'Name',
    state: 'State',
    progress: 'Progress',
    sentOf: (sent: string, all: string) => `${sent} of ${all} sent`,
    skippedFor: (count: string, reason: string) => `${count} skipped: ${reason}`,
    failedOf: (count: string) => `${count} failed`,
    reason: 'Reason',
    begins: 'Beginning',
    inbox: 'Inbox',
  },
  {
    'pt-BR': {
      lead: 'Mensagens que vão para muitos contatos: um modelo, ou uma sequência deles.',
      newCampaign: 'Nova campanha',
      nothing: 'Nenhuma campanha ainda',
      searchHere: 'Buscar pelo nome',
      allStates: 'Todas as situações',
      name: 'Nome',
      state: 'Situação',
      progress: 'Andamento',
      sentOf: (sent, all) => `${sent} de ${all} enviadas`,
      skippedFor: (count, reason) => `${count} pulados: ${reason}`,
      failedOf: (count) => `${count} falharam`,
      reason: 'Motivo',
      begins: 'Início',
      inbox: 'Caixa de entrada',
    },
    es: {
      lead: 'Mensajes que van a muchos contactos: una plantilla, o una secuencia de ellas.',
      newCampaign: 'Nueva campaña',
      nothing: 'Ninguna campaña todavía',
      searchHere: 'Buscar por nombre',
      allStates: 'Todos los estados',
      name: 'Nombre',
      state: 'Estado',
      progress: 'Avance',
      sentOf: (sent, all) => `${sent} de ${all} enviados`,
      skippedFor: (count, reason) => `${count} omitidos: ${reason}`,
      failedOf: (count) => `${count} fallidos`,
      reason: 'Motivo',
      begins: 'Inicio',
      inbox: 'Bandeja de entrada',
    },
  },
);

export const CAMPAIGN_SHEETS = defineTexts(
  {
    addSheet: 'Add the contacts of a sheet',
    lead: 'A CSV or XLSX with a column of phone numbers, perhaps one of names, and columns whose values the messages take. It may have 10,000 rows; add further ones as another sheet.',
    sheet: 'Sheet',
    choose: 'Choose a sheet',
    columns: (titles: string) => `Columns: ${titles}`,
    add: 'Add the contacts',
    added: (count: string, all: string) => `${count} of ${all} contacts were added.`,
    number: 'Phone number',
    more: (count: string) => `And ${count} more rows.`,
  },
  {
    'pt-BR': {
      addSheet: 'Adicionar os contatos de uma planilha',
      lead: 'Um CSV ou XLSX com uma coluna de telefones, talvez uma de nomes, e colunas cujos valores as mensagens usam. Pode ter 10.000 linhas; adicione mais em outra planilha.',
      sheet: 'Planilha',
      choose: 'Escolher uma planilha',
      columns: (titles) => `Colunas: ${titles}`,
      add: 'Adicionar os contatos',
      added: (count, all) => `${count} de ${all} contatos foram adicionados.`,
      number: 'Telefone',
      more: (count) => `E mais ${count} linhas.`,
    },
    es: {
      addSheet: 'Añadir los contactos de una hoja',
      lead: 'Un CSV o XLSX con una columna de teléfonos, quizá una de nombres, y columnas cuyos valores usan los mensajes. Puede tener 10.000 filas; añada más en otra hoja.',
      sheet: 'Hoja',
      choose: 'Elegir una hoja',
      columns: (titles) => `Columnas: ${titles}`,
      add: 'Añadir los contactos',
      added: (count, all) => `Se añadieron ${count} de ${all} contactos.`,
      number: 'Teléfono',
      more: (count) => `Y ${count} filas más.`,
    },
  },
);

export const CAMPAIGN_STATES = defineTexts(
  {
    DRAFT: 'Draft',
    SCHEDULED: 'Scheduled',
    RUNNING: 'Running',
    PAUSED: 'Paused',
    COMPLETED: 'Completed',
    NOTHING_SENT: 'Nothing sent',
    CANCELLED: 'Cancelled',
    FAILED: 'Failed',
  },
  {
    'pt-BR': {
      DRAFT: 'Rascunho',
      SCHEDULED: 'Agendada',
      RUNNING: 'Em curso',
      PAUSED: 'Pausada',
      COMPLETED: 'Concluída',
      NOTHING_SENT: 'Nada enviado',
      CANCELLED: 'Cancelada',
      FAILED: 'Falhou',
    },
    es: {
      DRAFT: 'Borrador',
      SCHEDULED: 'Programada',
      RUNNING: 'En curso',
      PAUSED: 'En pausa',
      COMPLETED: 'Terminada',
      NOTHING_SENT: 'Nada enviado',
      CANCELLED: 'Cancelada',
      FAILED: 'Falló',
    },
  },
);

export const PAUSE_REASONS = defineTexts(
  {
    USER: 'Somebody has paused it.',
    ERROR_RATE: 'Too many messages failed.',
    NETWORK_LIMIT: 'The business has reached as many people today as its network allows. It goes on by itself.',
    TEMPLATE: 'A template cannot be sent any more.',
  },
  {
    'pt-BR': {
      USER: 'Alguém a pausou.',
      ERROR_RATE: 'Muitas mensagens falharam.',
      NETWORK_LIMIT: 'A empresa já alcançou hoje tantas pessoas quanto a rede permite. Ela continua sozinha.',
      TEMPLATE: 'Um modelo não pode mais ser enviado.',
    },
    es: {
      USER: 'Alguien la ha puesto en pausa.',
      ERROR_RATE: 'Fallaron demasiados mensajes.',
      NETWORK_LIMIT: 'La empresa ya ha llegado hoy a tantas personas como permite la red. Sigue por sí sola.',
      TEMPLATE: 'Una plantilla ya no se puede enviar.',
    },
  },
);

export const SKIP_REASONS = defineTexts(
  {
    BLOCKED: 'Blocked contact',
    OPTED_OUT: 'Wants no messages',
    INVALID_NUMBER: 'No valid phone number',
    NOT_TEST_NUMBER: 'No test number, while the inbox is in test mode',
    ACTIVE_CONVERSATION: 'Has an open conversation',
    NOT_DELIVERABLE: 'The network delivers no marketing to this number',
    MISSING_VARIABLE: 'A value of the message is missing',
  },
  {
    'pt-BR': {
      BLOCKED: 'Contato bloqueado',
      OPTED_OUT: 'Não quer mensagens',
      INVALID_NUMBER: 'Sem telefone válido',
      NOT_TEST_NUMBER: 'Não é número de teste, e a caixa está em modo de teste',
      ACTIVE_CONVERSATION: 'Tem uma conversa aberta',
      NOT_DELIVERABLE: 'A rede não entrega marketing a este número',
      MISSING_VARIABLE: 'Falta um valor da mensagem',
    },
    es: {
      BLOCKED: 'Contacto bloqueado',
      OPTED_OUT: 'No quiere mensajes',
      INVALID_NUMBER: 'Sin teléfono válido',
      NOT_TEST_NUMBER: 'No es un número de prueba, y la bandeja está en modo de prueba',
      ACTIVE_CONVERSATION: 'Tiene una conversación abierta',
      NOT_DELIVERABLE: 'La red no entrega marketing a este número',
      MISSING_VARIABLE: 'Falta un valor del mensaje',
    },
  },
);
