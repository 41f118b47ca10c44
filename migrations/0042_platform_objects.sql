-- The functions, procedures and triggers of sql/ that the database has or has had.
create table schema_objects (
  -- As a drop statement names it: "function fold(text)", "trigger quota on stored_changes".
  name text collate "C" not null,
  -- The hash of the statement in sql/ that created it; empty for an object that a migration created.
  digest text collate "C" not null,
  -- The hash of its definition in the catalogue after that; null once another statement has replaced it, or it was dropped.
  definition text collate "C",
  primary key (name, digest)
);
grant select on schema_objects to parley_app;

-- What the migrations before this one have created. The database may have other functions and triggers, of its operator.
insert into schema_objects (name, digest, definition)
  select case prokind when 'p' then 'procedure ' else 'function ' end || oid::regprocedure, '', '' from pg_proc
  where pronamespace = 'public'::regnamespace and proname = any ('{
    advance_enrollments, allowed_bytes, begin_contact_activity, begin_conversation_activity, begin_message_search,
    campaign_differences, campaign_hour, campaign_totals, cancel_follow_up, change_message_search, contact_marks, count_deleted,
    count_enrollments, count_inserted, count_inserted_unbounded, count_sends, count_updated, count_updated_unbounded, counted_table,
    custom_field_values, end_message_search, enforce_quota, enrollment_marks, fold, forget_enrolled, history_change, history_time,
    json_bytes, like_literal, lower_items, message_query, message_words, move_contact_activity, move_conversation_activity, move_runs,
    move_stored_run, new_id, note_campaign, note_campaign_counters, note_changes, note_follow_up, note_last_message, note_lost_owner,
    noted_table, pair_mark, passage_stems, recount_campaign, refresh_statistics, release_people, remove_brought, remove_deleted_files,
    remove_replaced_file, remove_replaced_picture, reserve_people, reserve_slots, send_marks, stem_rules, stored_bytes, take_tokens,
    tenant_table, values_text, word_query, write_conversation_history
  }');
insert into schema_objects (name, digest, definition)
  select format('trigger %I on %s', tgname, tgrelid::regclass), '', '' from pg_trigger
  where not tgisinternal and 'function ' || tgfoid::regprocedure in (select name from schema_objects);
