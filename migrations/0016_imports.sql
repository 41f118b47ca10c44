-- Imports: the size of their sheet, and its rows once they have been counted.

-- No sheet is larger than 50 MB, none has more than 100,000 rows.
alter table imports
  add column bytes integer not null default 0,
  add column total integer;
-- A workbook is packed already, and pieces of a CSV live for a minute: packing them costs more than it saves.
alter table import_chunks alter column bytes set storage external;
