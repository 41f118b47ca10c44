-- FILE: the file is to be downloaded · THUMBNAIL: the file is there and shown, and its thumbnail is to be made.
set local lock_timeout = '2s';
-- squawk-ignore adding-field-with-default
alter table media_downloads add column stage text not null default 'FILE';
alter table media_downloads
  add constraint media_downloads_stage_check check (stage in ('FILE', 'THUMBNAIL')) not valid;
