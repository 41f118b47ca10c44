import type { Inbox } from '@parley/sdk';
import { defineTexts } from '../../texts/texts.ts';

type State = Inbox['connection']['status'] | 'DELETED';

export const INBOXES = defineTexts(
  {
    lead: 'Each inbox is a number or account of the company on a channel. Messages come in and leave through it.',
    connect: 'Connect an inbox',
    nothing: 'No inbox yet',
    name: 'Name',
    channel: 'Channel',
    number: 'Number',
    connection: 'Connection',
    state: 'State',
    CONNECTED: 'Connected',
    PENDING: 'Being checked',
    ERROR: 'Error',
    DELETED: 'Closed',
    stepNetwork: 'Step 1 of 3: at the network',
    stepCredentials: 'Step 2 of 3: the number',
    stepCheck: 'Step 3 of 3: the check',
    next: 'Next',
    finish: 'Finish',
    changeCredentials: 'Change the data',
    toSettings: 'All settings',
    writeToIt: (number: string) => `Write a message to ${number} from a phone: it appears among the conversations.`,
    checkedAt: 'Last checked',
    toList: 'All inboxes',
    close: 'Close the inbox',
    reallyClose: 'Really close? Nothing comes in or leaves any more.',
    restore: 'Open it again',
    settings: 'Settings',
  },
  {
    'pt-BR': {
      lead: 'Cada caixa de entrada é um número ou uma conta da empresa em um canal. As mensagens entram e saem por ela.',
      connect: 'Conectar uma caixa',
      nothing: 'Nenhuma caixa ainda',
      name: 'Nome',
      channel: 'Canal',
      number: 'Número',
      connection: 'Conexão',
      state: 'Situação',
      CONNECTED: 'Conectada',
      PENDING: 'Verificando',
      ERROR: 'Erro',
      DELETED: 'Fechada',
      stepNetwork: 'Passo 1 de 3: na rede',
      stepCredentials: 'Passo 2 de 3: o número',
      stepCheck: 'Passo 3 de 3: a verificação',
      next: 'Avançar',
      finish: 'Concluir',
      changeCredentials: 'Alterar os dados',
      toSettings: 'Todas as configurações',
      writeToIt: (number) => `Escreva uma mensagem para ${number} de um telefone: ela aparece entre as conversas.`,
      checkedAt: 'Última verificação',
      toList: 'Todas as caixas',
      close: 'Fechar a caixa',
      reallyClose: 'Fechar mesmo? Nada mais entra nem sai.',
      restore: 'Abrir de novo',
      settings: 'Configurações',
    },
    es: {
      lead: 'Cada bandeja de entrada es un número o una cuenta de la empresa en un canal. Los mensajes entran y salen por ella.',
      connect: 'Conectar una bandeja',
      nothing: 'Todavía no hay bandejas',
      name: 'Nombre',
      channel: 'Canal',
      number: 'Número',
      connection: 'Conexión',
      state: 'Estado',
      CONNECTED: 'Conectada',
      PENDING: 'Comprobando',
      ERROR: 'Error',
      DELETED: 'Cerrada',
      stepNetwork: 'Paso 1 de 3: en la red',
      stepCredentials: 'Paso 2 de 3: el número',
      stepCheck: 'Paso 3 de 3: la comprobación',
      next: 'Siguiente',
      finish: 'Terminar',
      changeCredentials: 'Cambiar los datos',
      toSettings: 'Toda la configuración',
      writeToIt: (number) => `Escriba un mensaje a ${number} desde un teléfono: aparece entre las conversaciones.`,
      checkedAt: 'Última comprobación',
      toList: 'Todas las bandejas',
      close: 'Cerrar la bandeja',
      reallyClose: '¿Cerrar de verdad? Ya no entra ni sale nada.',
      restore: 'Abrir de nuevo',
      settings: 'Configuración',
    },
  },
);

const causes: Record<State | 'WEB_CHAT', string> = {
  WEB_CHAT: 'The sites that it names can show the chat.',
  CONNECTED: 'The network has accepted the inbox.',
  PENDING: 'The network has not confirmed it yet; the platform tries again by itself.',
  ERROR: 'The network refuses it, so somebody has to correct its data.',
  DELETED: 'Nothing comes in or leaves.',
};

export const CAUSES = defineTexts(causes, {
  'pt-BR': {
    WEB_CHAT: 'Os sites que ela nomeia podem mostrar o chat.',
    CONNECTED: 'A rede aceitou a caixa.',
    PENDING: 'A rede ainda não confirmou; a plataforma tenta de novo sozinha.',
    ERROR: 'A rede recusa a caixa, então alguém precisa corrigir os dados.',
    DELETED: 'Nada entra nem sai.',
  },
  es: {
    WEB_CHAT: 'Los sitios que nombra pueden mostrar el chat.',
    CONNECTED: 'La red aceptó la bandeja.',
    PENDING: 'La red todavía no la confirmó; la plataforma vuelve a intentarlo sola.',
    ERROR: 'La red la rechaza, así que alguien tiene que corregir los datos.',
    DELETED: 'No entra ni sale nada.',
  },
});

export const GUIDE = defineTexts(
  {
    channel: (name: string) => `The platform connects ${name} by the official Cloud API.`,
    openApp: 'Open your app in the dashboard of Meta for developers, with the product WhatsApp added to it.',
    setCallback:
      'Under “Configuration”, paste this callback address, unless whoever runs the platform has done it already:',
    callback: 'Callback address',
    callbackHint: 'The network has to reach it by https.',
    verifyToken:
      'The verification token is the one with which the platform was started (WAP_VERIFY_TOKEN). Whoever runs the platform knows it; it is shown nowhere.',
    subscribe: 'Subscribe to these fields:',
    coexistence: 'Also to these, if the number stays in use in the business app:',
    makeToken:
      'Create a token of a system user that may manage the account and send its messages. Keep it for the next step, with the three ids from “API setup”.',
  },
  {
    'pt-BR': {
      channel: (name) => `A plataforma conecta ${name} pela Cloud API oficial.`,
      openApp: 'Abra o seu aplicativo no painel da Meta para desenvolvedores, com o produto WhatsApp adicionado.',
      setCallback: 'Em “Configuração”, cole este endereço de retorno, se quem opera a plataforma ainda não fez isso:',
      callback: 'Endereço de retorno',
      callbackHint: 'A rede precisa alcançá-lo por https.',
      verifyToken:
        'O token de verificação é aquele com que a plataforma foi iniciada (WAP_VERIFY_TOKEN). Quem opera a plataforma o conhece; ele não é mostrado em lugar nenhum.',
      subscribe: 'Assine estes campos:',
      coexistence: 'Também estes, se o número continua em uso no aplicativo da empresa:',
      makeToken:
        'Crie um token de um usuário do sistema que possa administrar a conta e enviar as mensagens dela. Guarde-o para o próximo passo, com os três identificadores de “Configuração da API”.',
    },
    es: {
      channel: (name) => `La plataforma conecta ${name} por la Cloud API oficial.`,
      openApp: 'Abra su aplicación en el panel de Meta para desarrolladores, con el producto WhatsApp agregado.',
      setCallback: 'En «Configuración», pegue esta dirección de retorno, si quien opera la plataforma aún no lo hizo:',
      callback: 'Dirección de retorno',
      callbackHint: 'La red tiene que poder acceder a ella por https.',
      verifyToken:
        'El token de verificación es aquel con que se inició la plataforma (WAP_VERIFY_TOKEN). Lo conoce quien opera la plataforma; no se muestra en ningún lugar.',
      subscribe: 'Suscríbase a estos campos:',
      coexistence: 'También a estos, si el número sigue en uso en la aplicación de la empresa:',
      makeToken:
        'Cree un token de un usuario del sistema que pueda administrar la cuenta y enviar sus mensajes. Guárdelo para el paso siguiente, con los tres identificadores de «Configuración de la API».',
    },
  },
);

export const CREDENTIALS = defineTexts(
  {
    title: 'Connection data',
    name: 'Name',
    nameHint: 'What your team calls it, for example “Sales”.',
    number: 'Number',
    phone_number_id: 'Phone number ID',
    waba_id: 'WhatsApp business account ID',
    business_id: 'Business portfolio ID',
    business_token: 'Token of the system user',
    saveAndCheck: 'Save and check',
  },
  {
    'pt-BR': {
      title: 'Dados da conexão',
      name: 'Nome',
      nameHint: 'Como a sua equipe a chama, por exemplo “Vendas”.',
      number: 'Número',
      phone_number_id: 'ID do número de telefone',
      waba_id: 'ID da conta do WhatsApp Business',
      business_id: 'ID do portfólio empresarial',
      business_token: 'Token do usuário do sistema',
      saveAndCheck: 'Salvar e verificar',
    },
    es: {
      title: 'Datos de la conexión',
      name: 'Nombre',
      nameHint: 'Cómo la llama su equipo, por ejemplo «Ventas».',
      number: 'Número',
      phone_number_id: 'ID del número de teléfono',
      waba_id: 'ID de la cuenta de WhatsApp Business',
      business_id: 'ID del portafolio comercial',
      business_token: 'Token del usuario del sistema',
      saveAndCheck: 'Guardar y comprobar',
    },
  },
);
