/**
 * The methods of the client whose operations do not name them by their paths, as `scripts/sdk-methods.ts` reads them: each has a name of a
 * group and a verb. `npm run sdk` writes the client's types and its table of operations.
 */
export const METHODS: Record<string, Record<string, string>> = {
  auth: {
    logIn: 'POST /v1/auth/login',
    openSession: 'POST /v1/auth/session',
    openSessionByLink: 'POST /v1/auth/session/link',
    closeSession: 'DELETE /v1/auth/session',
    updateMe: 'PATCH /v1/auth/me',
    uploadPicture: 'PUT /v1/auth/me/avatar',
    getSecondFactor: 'GET /v1/auth/second-factor',
    beginSecondFactor: 'POST /v1/auth/second-factor/begin',
    enableSecondFactor: 'POST /v1/auth/second-factor',
    renewRecoveryCodes: 'POST /v1/auth/second-factor/recovery-codes',
    disableSecondFactor: 'POST /v1/auth/second-factor/disable',
  },
  users: {
    resetSecondFactor: 'DELETE /v1/users/{id}/second-factor',
  },
  apiKeys: {
    revoke: 'DELETE /v1/api-keys/{id}',
  },
  connectedApps: {
    preview: 'POST /v1/connected-apps/preview',
    revoke: 'DELETE /v1/connected-apps/{id}',
  },
  attachments: {
    upload: 'POST /v1/resource/upload-attachment',
    getUrl: 'GET /v1/resource/attachments/{id}/url',
  },
  doorWebhooks: {
    set: 'PUT /v1/door-webhooks',
  },
  inboxes: {
    getHealth: 'GET /v1/inboxes/{id}/health',
    pair: 'GET /v1/inboxes/{id}/pairing',
    checkNumbers: 'POST /v1/inboxes/{id}/check-numbers',
    makeConnectLink: 'POST /v1/inboxes/{id}/connect-link',
  },
  campaigns: {
    getAnalytics: 'GET /v1/campaigns/{id}/analytics',
    addContacts: 'POST /v1/campaigns/{id}/enrollments',
    addSheet: 'POST /v1/campaigns/{id}/enrollments/sheet',
  },
  contacts: {
    upsert: 'POST /v1/contacts/bulk',
    import: 'POST /v1/contacts/import',
    previewPhones: 'POST /v1/contacts/import/phone-numbers',
    listImports: 'GET /v1/contacts/import',
    getImport: 'GET /v1/contacts/import/{importId}',
    getImportErrors: 'GET /v1/contacts/import/{importId}/errors',
    listTableRows: 'GET /v1/contacts/{id}/table-rows',
    listNotes: 'GET /v1/contacts/{id}/notes',
    createNote: 'POST /v1/contacts/{id}/notes',
    getNote: 'GET /v1/contacts/{id}/notes/{noteId}',
    updateNote: 'PATCH /v1/contacts/{id}/notes/{noteId}',
    deleteNote: 'DELETE /v1/contacts/{id}/notes/{noteId}',
  },
  conversations: {
    open: 'POST /v1/conversations',
    count: 'GET /v1/conversations/counts',
    listHistory: 'GET /v1/conversations/{id}/history',
    showPresence: 'POST /v1/conversations/{id}/typing',
    listParticipants: 'GET /v1/conversations/{id}/participants',
    addParticipant: 'POST /v1/conversations/{id}/participants',
    removeParticipant: 'DELETE /v1/conversations/{id}/participants/{userId}',
    runMacro: 'POST /v1/conversations/{id}/macro',
    changeStep: 'PUT /v1/conversations/{id}/step',
    markAsRead: 'PUT /v1/conversations/{id}/read',
    markAsUnread: 'PUT /v1/conversations/{id}/unread',
    changeMany: 'POST /v1/conversations/bulk',
    listBulkRuns: 'GET /v1/conversations/bulk',
    getBulkRun: 'GET /v1/conversations/bulk/{id}',
    cancelBulkRun: 'POST /v1/conversations/bulk/{id}/cancel',
  },
  notifications: {
    count: 'GET /v1/notifications/counts',
    markAsRead: 'POST /v1/notifications/read',
    beActive: 'PUT /v1/notifications/active',
  },
  pushSubscriptions: {
    getKey: 'GET /v1/push-subscriptions/key',
    register: 'PUT /v1/push-subscriptions',
  },
  notificationSettings: {
    get: 'GET /v1/notification-settings',
    update: 'PUT /v1/notification-settings',
  },
  views: {
    count: 'GET /v1/views/counts',
  },
  messages: {
    search: 'GET /v1/messages',
    listInConversation: 'GET /v1/messages/conversation/{id}',
    getBody: 'GET /v1/messages/{id}/body',
    listBulkRuns: 'GET /v1/messages/bulk',
    getBulkRun: 'GET /v1/messages/bulk/{id}',
    writeNote: 'POST /v1/messages/note',
    revoke: 'POST /v1/messages/{id}/revoke',
  },
  rules: {
    listRuns: 'GET /v1/rules/{id}/runs',
    dryRun: 'POST /v1/rules/dry-run',
  },
  agents: {
    turns: 'GET /v1/agents/turns',
    followUps: 'GET /v1/agents/follow-ups',
    cancelFollowUp: 'POST /v1/agents/follow-ups/{id}/cancel',
  },
  knowledge: {
    synonyms: 'GET /v1/knowledge/synonyms',
    updateSynonyms: 'PUT /v1/knowledge/synonyms',
    createAutcl: 'POST /v1/knowledge/autcl',
    updateAutcl: 'PUT /v1/knowledge/autcl/{id}',
  },
  tables: {
    createRow: 'POST /v1/tables/{tableId}/rows',
    listRows: 'GET /v1/tables/{tableId}/rows',
    updateRow: 'PATCH /v1/tables/{tableId}/rows/{rowId}',
    deleteRow: 'DELETE /v1/tables/{tableId}/rows/{rowId}',
    import: 'POST /v1/tables/{id}/import',
    getImport: 'GET /v1/tables/{id}/import/{importId}',
    getImportErrors: 'GET /v1/tables/{id}/import/{importId}/errors',
  },
  webhooks: {
    get: 'GET /v1/webhooks',
    listDeliveries: 'GET /v1/webhooks/deliveries',
    replayDelivery: 'POST /v1/webhooks/deliveries/{id}/replay',
    replayDeliveries: 'POST /v1/webhooks/deliveries/replay',
    listReplays: 'GET /v1/webhooks/deliveries/replay',
    getReplay: 'GET /v1/webhooks/deliveries/replay/{id}',
    cancelReplay: 'POST /v1/webhooks/deliveries/replay/{id}/cancel',
  },
  live: {
    follow: 'GET /v1/live',
  },
};
