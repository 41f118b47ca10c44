import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import {
  countNotifications,
  markNotificationsAsRead,
  noteUserActive,
  pageNotifications,
  readNotificationSettings,
  updateNotificationSettings,
} from './notifications.ts';
import {
  NotificationCounts,
  NotificationList,
  NotificationQuery,
  NotificationSettings,
  NotificationSettingsChange,
  NotificationsRead,
} from './schemas.ts';

const ONLY_USERS = 'For the token or session of a user of any role; API keys get 403.';

export function notificationRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('notifications', 'What the calling user is notified of');
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/notifications',
    scope: null,
    summary: 'List your notifications',
    description: `${ONLY_USERS} The one that was raised last comes first.`,
    query: NotificationQuery,
    answers: { 200: NotificationList },
    errors: ['FORBIDDEN'],
    handler: (tenant, { query }) => pageNotifications(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/notifications/counts',
    scope: null,
    summary: 'Count your unread notifications',
    description: ONLY_USERS,
    answers: { 200: ref(NotificationCounts) },
    errors: ['FORBIDDEN'],
    handler: countNotifications,
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/notifications/read',
    scope: null,
    action: null,
    summary: 'Mark notifications as read: some, or all up to a time',
    description: `${ONLY_USERS} Returns the count of those that are still unread. Marking a conversation as read does the same for its notifications.`,
    body: ref(NotificationsRead),
    answers: { 200: ref(NotificationCounts) },
    errors: ['FORBIDDEN'],
    handler: (tenant, { body }) => markNotificationsAsRead(tenant, body),
  });
  operation(app, kit.access, {
    method: 'PUT',
    path: '/v1/notifications/active',
    scope: null,
    action: null,
    summary: 'Say that you are in front of your console',
    description: `${ONLY_USERS} While you do so, you are mailed no notifications. Once a minute is enough. Returns the count of your unread notifications.`,
    answers: { 200: ref(NotificationCounts) },
    errors: ['FORBIDDEN'],
    handler: noteUserActive,
  });
  settingsRoutes(app, kit);
}

function settingsRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('notification-settings', 'What the calling user wants to be notified of');
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/notification-settings',
    scope: null,
    summary: 'Read what you are notified of',
    description: ONLY_USERS,
    answers: { 200: ref(NotificationSettings) },
    errors: ['FORBIDDEN'],
    handler: readNotificationSettings,
  });
  operation(app, kit.access, {
    method: 'PUT',
    path: '/v1/notification-settings',
    scope: null,
    action: 'users.update',
    summary: 'Choose what you are notified of',
    description: `${ONLY_USERS} Kinds that the request does not name stay as they are.`,
    body: ref(NotificationSettingsChange),
    answers: { 200: ref(NotificationSettings) },
    errors: ['FORBIDDEN'],
    handler: (tenant, { body }) => updateNotificationSettings(tenant, body),
  });
}
