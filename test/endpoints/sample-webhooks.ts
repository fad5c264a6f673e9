/** A subscription that is taken without a warning. */
export const SAMPLE_WEBHOOK = {
  url: 'https://example.com/hooks/incidents',
  events: ['incident.created', 'incident.resolved'],
  secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
} as const

/** Addresses that no receiver may have, whatever they look like. */
export const SHUT_ADDRESSES = [
  ['loopback', 'https://127.0.0.1/hook'],
  ['loopback by name', 'https://localhost/hook'],
  ['loopback as one number', 'https://2130706433/hook'],
  ['loopback in octal', 'https://0177.0.0.1/hook'],
  ['loopback of IPv6', 'https://[::1]/hook'],
  ['loopback mapped into IPv6', 'https://[::ffff:127.0.0.1]/hook'],
  ['a private network', 'https://10.0.0.5/hook'],
  ['another private network', 'https://192.168.1.1/hook'],
  ['a unique local network', 'https://[fd12::1]/hook'],
  ['the metadata of a machine', 'https://169.254.169.254/latest/meta-data'],
  ['the service itself', 'https://api.example.test/v1/webhooks'],
  ['the service itself with the dot of an absolute name', 'https://API.example.test./v1/webhooks'],
  ['plain http', 'http://example.com/hook'],
  ['a user name', 'https://user:password@example.com/hook'],
] as const
