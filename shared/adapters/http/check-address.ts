import { isIP } from 'node:net'
import { invalidField } from '#shared/domain/errors.ts'
import { type AddressRules, urlRefusal } from './address-rules.ts'
import { type Lookup, resolveName } from './lookup.ts'

/** How long the resolver may take, in milliseconds: a name that is not known by then counts as not resolving. */
const RESOLVE_MS = 2000

/**
 * Checks the address of a webhook or an integration when it is written down, so that whoever writes it hears at once.
 * A name that does not resolve now is taken: every dial checks again.
 * @param field path of the field that holds it, such as `url` or `config.base_url`
 * @throws Refusal `invalid` on that field for an address that the rules refuse, as written or as resolved. The text
 * never says which address a name has: that would make us a resolver of somebody's private names.
 */
export async function checkAddress(
  url: string,
  rules: AddressRules,
  field: string,
  lookup: Lookup = resolveName,
): Promise<void> {
  const refusal = urlRefusal(url, rules)
  if (refusal !== undefined) throw invalidField(field, refusal)
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return
  const resolved = urlRefusal(url, rules, await answersWithin(RESOLVE_MS, lookup, host))
  if (resolved !== undefined) throw invalidField(field, resolved)
}

async function answersWithin(milliseconds: number, lookup: Lookup, host: string): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<readonly string[]>((resolve) => {
    timer = setTimeout(resolve, milliseconds, [])
  })
  const answers = lookup(host).then(
    (found) => found.map(({ address }) => address),
    () => [],
  )
  try {
    return await Promise.race([answers, late])
  } finally {
    clearTimeout(timer)
  }
}
