-- What a request has used of a model: {model, input_tokens, output_tokens, cost}. Requests that asked no model have none.
alter table audit_log add column ai jsonb;
