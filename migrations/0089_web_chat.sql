-- An inbox of the web chat is its own address at the network, which is the platform itself. Inboxes that were made before receive from now on.
update inboxes set network_address = _id, accepted_at = now(), connection_status = 'CONNECTED', connection_checked_at = now(),
    settings = settings || '{"web_config": {"allowed_origins": [], "color": "#2563eb", "position": "RIGHT", "title": null,
      "avatar_url": null, "welcome_text": null, "quick_replies": [], "language": null, "office_hours": null, "questions": [],
      "identity_required": false, "show_operator_names": true, "identity_secret": null}}'
  where channel = 'WEB_V2' and status = 'ACTIVE';
