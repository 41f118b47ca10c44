-- A conversation shows the text of its last message, and whether that message has failed.
drop trigger noted_text on messages;
create trigger noted_last_message after update of content, content_type, status on messages for each row
  when (old.content is distinct from new.content or old.content_type <> new.content_type
    or (old.status = 'FAILED') <> (new.status = 'FAILED'))
  execute function note_last_message();
