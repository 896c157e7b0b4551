-- Where the link of an account mail leads, when the request named an address that the operator allows; null: to our own page.
alter table auth.message_queue add column redirect_to text check (char_length(redirect_to) <= 2100);
