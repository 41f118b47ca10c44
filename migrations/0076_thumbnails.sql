-- THUMBNAIL: a small picture of the picture.
alter table attachment_copies drop constraint attachment_copies_kind_check;
alter table attachment_copies
  add constraint attachment_copies_kind_check check (kind in ('CONVERTED', 'THUMBNAIL')) not valid;
