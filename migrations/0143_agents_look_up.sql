-- {tool, arguments}: what people look up about a contact with this server, and with which values of the contact.
alter table mcp_servers add column look_up jsonb;
