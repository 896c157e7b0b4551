/** SQL expression: the account's metadata with one more provider. The first provider stays the first. */
export function withProvider(provider: 'email' | 'phone'): string {
  return `raw_app_meta_data || jsonb_build_object(
    'provider', coalesce(raw_app_meta_data -> 'provider', '"${provider}"'),
    'providers', case when coalesce(raw_app_meta_data -> 'providers', '[]') ? '${provider}' then raw_app_meta_data -> 'providers'
      else coalesce(raw_app_meta_data -> 'providers', '[]') || '"${provider}"' end)`;
}
