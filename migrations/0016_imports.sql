-- The size of the sheet of an import, and the number of its rows once they have been counted.

-- A sheet has at most 50 MB and 100,000 rows.
alter table imports
  add column bytes integer not null default 0,
  add column total integer;
-- The pieces are stored uncompressed. A workbook is compressed already, and the pieces of a CSV are deleted after a minute, so compressing
-- them would cost more than it saves.
alter table import_chunks alter column bytes set storage external;
