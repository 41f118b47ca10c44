-- A column titled "Constructor" was taken for a property that every JavaScript object inherits and stored without its field, so that such
-- an import, and every list with it, could not be shown. The column is now ignored, like every column that no field has the name of.
-- Row-level security also applies to the owner of the tables, so the update runs as the system role, which sees every company.
set local role parley_system;
update imports set options = jsonb_set(options, '{columns}', (
    select jsonb_agg('{"field": null}'::jsonb || c.item order by c.place)
    from jsonb_array_elements(options -> 'columns') with ordinality as c (item, place)
  ))
where options -> 'columns' @? '$[*] ? (!exists(@.field))';
