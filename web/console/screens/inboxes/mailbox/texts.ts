import { defineTexts } from '../../../texts/texts.ts';

export const MAILBOX = defineTexts(
  {
    offer: 'E-mail',
    offerAbout:
      'A mailbox of your company. Mails are read over IMAP or pushed by your mail server, and sent over SMTP.',
    title: 'A mailbox of your company',
    lead: 'The platform reads mails that arrive from now on, and sends replies through your provider. Mails stay in the mailbox. If the provider has app passwords, create one for the platform.',
    changeTitle: 'Mailbox settings',
    checkTitle: 'Test connection',
    name: 'Name',
    nameHint: 'What your team calls it, for example “Support”.',
    address: 'E-mail address',
    from_name: 'Sender name',
    from_nameHint: 'What recipients see next to the address.',
    signature: 'Signature',
    signatureHint: 'Added below the mails that users write. {{user.name}} is replaced with the name of the user.',
    arrival: 'How mails arrive',
    read: 'The platform reads the mailbox',
    pushed: 'A mail server pushes each mail',
    imap_url: 'Server for incoming mails (IMAP)',
    hook_secret: 'Secret of your mail server',
    hook_secretHint:
      'Copy it into your mail server, which sends it in the header x-hook-secret; later only its end is shown. The address is shown after the test.',
    smtp_url: 'Server for outgoing mails (SMTP)',
    smtp_urlHint: 'smtps:// for port 465, smtp:// for port 587. Mails are never sent without encryption.',
    username: 'User name',
    usernameHint: 'Often the e-mail address itself.',
    password: 'Password',
    saveAndCheck: 'Save and check',
    handOver: (address: string) =>
      `A mail server sends each mail to ${address} unchanged (message/rfc822) by POST to this address, with the secret in the header x-hook-secret. It appears immediately in Conversations.`,
    handOverAddress: 'Address',
    writeToIt: (address: string) =>
      `Write a mail to ${address}. It appears in Conversations within a minute. The inbox settings also have an address to which a mail server can push mails immediately.`,
  },
  {
    'pt-BR': {
      offer: 'E-mail',
      offerAbout:
        'Uma caixa de e-mail da empresa, lida por IMAP ou preenchida pelo seu servidor, e respondida por SMTP.',
      title: 'Uma caixa de e-mail da empresa',
      lead: 'A plataforma recebe os e-mails que chegam a partir de agora e envia as respostas pelo seu provedor. O que ela lê fica na caixa. Se o provedor tem senhas de aplicativo, crie uma para a plataforma.',
      changeTitle: 'Dados da caixa de e-mail',
      checkTitle: 'A verificação da caixa de e-mail',
      name: 'Nome',
      nameHint: 'Como a sua equipe a chama, por exemplo “Suporte”.',
      address: 'Endereço de e-mail',
      from_name: 'Nome do remetente',
      from_nameHint: 'O que os destinatários veem ao lado do endereço.',
      signature: 'Assinatura',
      signatureHint:
        'O texto abaixo dos e-mails que os usuários escrevem. {{user.name}} é substituído pelo nome do usuário.',
      arrival: 'Como os e-mails chegam',
      read: 'A plataforma lê a caixa',
      pushed: 'Um servidor de e-mail entrega cada e-mail',
      imap_url: 'Servidor de entrada (IMAP)',
      hook_secret: 'Segredo do seu servidor de e-mail',
      hook_secretHint:
        'Copie-o para o seu servidor de e-mail, que o envia no cabeçalho x-hook-secret; depois só aparece o final. O endereço vem após a verificação.',
      smtp_url: 'Servidor de saída (SMTP)',
      smtp_urlHint: 'smtps:// para a porta 465, smtp:// para a porta 587. Nenhum e-mail sai sem criptografia.',
      username: 'Nome de usuário',
      usernameHint: 'Muitas vezes o próprio endereço de e-mail.',
      password: 'Senha',
      saveAndCheck: 'Salvar e verificar',
      handOver: (address) =>
        `Um servidor de e-mail envia cada e-mail para ${address} como ele é (message/rfc822) por POST a este endereço, com o segredo no cabeçalho x-hook-secret. Ele aparece na hora entre as conversas.`,
      handOverAddress: 'Endereço',
      writeToIt: (address) =>
        `Escreva um e-mail para ${address}: em um minuto ele aparece entre as conversas. As configurações da caixa também têm um endereço em que um servidor de e-mail entrega e-mails na hora.`,
    },
    es: {
      offer: 'Correo electrónico',
      offerAbout: 'Un buzón de la empresa, leído por IMAP o llenado por su servidor, y respondido por SMTP.',
      title: 'Un buzón de correo de la empresa',
      lead: 'La plataforma recibe los correos que llegan desde ahora y envía las respuestas por su proveedor. Lo que lee se queda en el buzón. Si el proveedor tiene contraseñas de aplicación, cree una para la plataforma.',
      changeTitle: 'Datos del buzón',
      checkTitle: 'La comprobación del buzón',
      name: 'Nombre',
      nameHint: 'Cómo lo llama su equipo, por ejemplo «Soporte».',
      address: 'Dirección de correo',
      from_name: 'Nombre del remitente',
      from_nameHint: 'Lo que los destinatarios ven junto a la dirección.',
      signature: 'Firma',
      signatureHint:
        'El texto debajo de los correos que escriben los usuarios. {{user.name}} se sustituye por el nombre del usuario.',
      arrival: 'Cómo llegan los correos',
      read: 'La plataforma lee el buzón',
      pushed: 'Un servidor de correo entrega cada correo',
      imap_url: 'Servidor de entrada (IMAP)',
      hook_secret: 'Secreto de su servidor de correo',
      hook_secretHint:
        'Cópielo en su servidor de correo, que lo envía en el encabezado x-hook-secret; después solo se muestra el final. La dirección viene tras la comprobación.',
      smtp_url: 'Servidor de salida (SMTP)',
      smtp_urlHint: 'smtps:// para el puerto 465, smtp:// para el puerto 587. Ningún correo sale sin cifrado.',
      username: 'Nombre de usuario',
      usernameHint: 'Muchas veces la propia dirección de correo.',
      password: 'Contraseña',
      saveAndCheck: 'Guardar y comprobar',
      handOver: (address) =>
        `Un servidor de correo envía cada correo para ${address} tal como es (message/rfc822) por POST a esta dirección, con el secreto en el encabezado x-hook-secret. Aparece al instante entre las conversaciones.`,
      handOverAddress: 'Dirección',
      writeToIt: (address) =>
        `Escriba un correo a ${address}: en un minuto aparece entre las conversaciones. Los ajustes de la bandeja también tienen una dirección en la que un servidor de correo entrega correos al instante.`,
    },
  },
);
