import type { IntegrationTypeName } from '#shared/domain/integration-types.ts'

/** A secret that stands nowhere else: neither answers nor errors nor records may hold it. */
export const CANARY = 'c4n4ry-s3cr3t-0f-th3-t00l'

/**
 * Settings of each type with every secret set to the canary, for a tool at an address of this machine. A bundle is no
 * tool behind HTTP; a type that cannot be led to an address is not here.
 */
export const SAMPLE_CONFIGS: Partial<
  Readonly<Record<IntegrationTypeName, (url: string) => Readonly<Record<string, unknown>>>>
> = {
  alertmanager: (base_url) => ({ base_url, bearer_token: CANARY }),
  datadog: (base_url) => ({ base_url, api_key: CANARY, app_key: CANARY }),
  github: (base_url) => ({
    app_id: '1',
    client_id: 'Iv1.abc',
    client_secret: CANARY,
    repositories: ['acme-shop/checkout'],
    base_url,
  }),
  grafana: (base_url) => ({ base_url, token: CANARY, org_id: 1 }),
  kubernetes: (base_url) => ({ base_url, bearer_token: CANARY }),
  loki: (base_url) => ({ base_url, headers: { 'X-Scope-OrgID': CANARY } }),
  opensearch: (base_url) => ({ base_url, api_key: CANARY, index_pattern: 'logs-*' }),
  pagerduty: (base_url) => ({ base_url, api_token: CANARY }),
  sentry: (base_url) => ({ base_url, organization: 'acme', auth_token: CANARY }),
  statuspage: (base_url) => ({ base_url }),
  tempo: (base_url) => ({ base_url, bearer_token: CANARY }),
  prometheus: (base_url) => ({ base_url, username: 'reader', password: CANARY }),
}
