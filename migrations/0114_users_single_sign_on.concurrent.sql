create unique index concurrently if not exists users_single_sign_on on users (company_id, single_sign_on_issuer, single_sign_on_subject)
  where single_sign_on_subject is not null;
