alter index views_kind_name rename to views_name_key;
