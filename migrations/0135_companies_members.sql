-- What users write who see only some inboxes counts like what other users write.
alter table stored_changes alter column is_bounded set default current_user in ('parley_app', 'parley_member');
