/**
 * What is a credential in a text, and the text without it. Diffs, settings, logs, alerts and addresses hold credentials;
 * what is told of them goes to receivers, terminals and files that were never meant to have one.
 *
 * Method: a credential is known by its form, where a maker gives its keys one that nothing else has; by the place in which
 * it stands, as in an address or a header; or by the name that it is given to. A password without any of these cannot be
 * told from a word. A word too many is hidden rather than a credential shown, except where a message could not be
 * understood without it.
 */

/** What stands in place of a credential. */
export const HIDDEN = '•••'

/**
 * Forms by which makers let their keys be found, so that a scanner can: how they begin, and what follows at least. Of AWS,
 * GitHub, GitLab, Slack, Stripe, OpenAI and Anthropic, Google, npm, PyPI, SendGrid, DigitalOcean, Shopify, Vault, Databricks
 * and of Standard Webhooks; signed tokens (RFC 7519).
 * @see https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns
 */
const FORMS: readonly (readonly [begins: string, follows: string])[] = [
  ['A[KS]IA', '[A-Z\\d]{16}'],
  ['gh[pousr]_|github_pat_|npm_', '\\w{20,}'],
  ['gl(?:pat|dt|rt|ptt|cbt)-|pypi-|hv[sbr]\\.|ya29\\.|AIza', '[\\w-]{16,}'],
  ['xox[abeprs]-|xapp-|[srp]k_(?:live|test)_', '[\\w-]{10,}'],
  ['sk-|SG\\.', '[\\w.-]{20,}'],
  ['do[opr]_v1_|shp(?:at|ca|pa|ss)_|dapi', '[\\da-f]{24,}'],
  ['whsec_', '[\\w+/=-]{16,}'],
  ['eyJ', '[\\w-]{10,4000}\\.[\\w-]+(?:\\.[\\w-]*)?'],
]
const BY_FORM = new RegExp(
  `\\b(?:${FORMS.map(([begins, follows]) => `(?:${begins})${follows}`).join('|')})`,
  'g',
)
/** The beginning of one, or of an address with a password, where a text was cut. */
const CUT_THROUGH = new RegExp(
  `(?:\\b(?:${FORMS.map(([begins]) => begins).join('|')})[\\w.+/=-]{0,4000}|(?<=://[^\\s/:@"'<>]{0,80}:)(?!\\d{1,5}…)[^\\s/@"'<>…]{1,300})(?=…)`,
  'g',
)
/** How the block of a private key begins (RFC 7468). */
export const PRIVATE_KEY_BEGINS = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/
/** Such a block, as far as the text has it. */
const KEY_BLOCK = new RegExp(
  `${PRIVATE_KEY_BEGINS.source}[\\s\\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)`,
  'g',
)
/** A line of such a block, which a diff may show alone: 64 characters of base64, as those are wrapped. */
const LINE_OF_BLOCK = /^(\s*["']?)([A-Za-z\d+/]{64})(?=(?:\\n)?["',]*\s*$)/
/** The password of an address (RFC 3986, 3.2.1), which may hold what should have been escaped, or who enters with one; a port is neither. */
const OF_ADDRESS =
  /(?<=:\/\/[^\s/:@"'<>]{0,80}:)(?!\d{1,5}[/?#])[^\s"'<>]{1,300}(?=@[\w.[-])|(?<=:\/\/)[^\s/:@"'<>]{20,300}(?=@[\w.[-])/g
/** What a request is signed or let in with, in its address or a header. */
const OF_REQUEST =
  /(?<=[?&](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature)=)[^\s&#"'<>]+|(?<=hooks\.slack\.com\/(?:services|workflows)\/)[\w/]+|(?<=\b(?:(?:Bearer|Basic|Digest|Negotiate)\s{1,4}|authorization["']?\s{0,4}[:=]\s{0,4}["']?))(?=\S*\d|\S{20})(?!(?:Bearer|Basic|Digest|Negotiate)\b)[\w+/=.~-]{8,}|(?<=\bcookie["']?\s{0,4}[:=]\s{0,4}["']?[\w.-]{1,60}=)[^\s;"']+/gi
/** What a command, a statement or a tag is given without a sign between. */
const OF_COMMAND =
  /(?<=(?:^|\s)--?[\w-]{0,40}(?:password|passwd|passphrase|secret|token|api-?key|access-?key)\s{1,4})(?![-<[{])(?:"[^"]+"|'[^']+'|[^\s"']+)|(?<=\b(?:identified\s{1,4}(?:with\s{1,4}\S{1,60}\s{1,4})?by|password)\s{1,4})(?:'[^']+'|"[^"]+")|(?<=<[\w:.-]{0,40}(?:password|passwd|secret|token|api-?key)>)[^<]+/gi

/** Names of what holds a credential. */
const NAMES_CREDENTIAL =
  /passw(?:or)?d|passphrase|(?<![a-z\d])pwd(?![a-z])|secret|token|credential|(?:api|access|account|private|signing|encryption|master)[ _-]?key/i
/** Last words of names that say only where a credential is, how long it lasts, how large or of which kind it is. */
const ABOUT_CREDENTIALS =
  /^(?:(?:name|ref|id|path|file|url|uri|arn|size|limit|type|kind|scope|error)s?|ttl|age|expir\w+|length|max|min|count|timeout|interval|enabled|disabled|required|version|provider|manager|store|endpoint|host|port|rotation|policy|format|algorithm|issuer|audience|bucket|namespace|service|class|header|prefix|status|state|rate|budget|usage|used|total)$/i
/** The same where nothing parts the last word from the others. */
const ABOUT_IN_ONE_WORD = /(?:name|path|file|url|uri|arn|ttl|expiry)$/
const LAST_WORD = /[A-Z]?[a-z\d]+$|[A-Z\d]+$/

/**
 * Such a name with what it is given, in quotes or up to where the next begins. In quotes others may stand escaped; in JSON within
 * a text the quotes themselves are, and in a text that was cut they may not end.
 */
const ASSIGNED = new RegExp(
  [
    `(?<!\\w)((?:(?:api|access|account|private|signing|secret) )?(?=[\\w.-]{0,120}?(?:${NAMES_CREDENTIAL.source}|key))[a-z_][\\w.-]{0,120})`,
    '(\\\\*["\']?\\s{0,40}(?::=|=>|==|=|:)\\s{0,40})',
    '("(?:[^"\\\\]|\\\\.)+"|\'(?:[^\'\\\\]|\\\\.)+\'',
    '|\\\\*"(?:[^"\\\\]|\\\\(?!").)+\\\\*"|\\\\*\'(?:[^\'\\\\]|\\\\(?!\').)+\\\\*\'|["\'][^"\'\\n]+$',
    '|(?!//)[^\\s"\',;&]{1,4000}(?:[,&](?!\\\\*["\']?[\\w.-]+\\\\*["\']?[=:])[^\\s"\',;&]{1,4000})*)',
  ].join(''),
  'gi',
)
/** Types, and what says that there is nothing or that something is put in later. */
const NO_VALUE =
  /^(?:(?:true|false|null|none|nil|undefined|empty|str|string|text|bytes|int|number|bool|boolean|any|new|await|async|optional\w*|input)\W*|\$\{.*|\$\(.*|\$_.*|\$[A-Z_][A-Z\d_]*|<[\w -]+>|[{[(]\W*|%[a-z])$/i
/** What is computed when the code runs; code has a blank before it. */
const COMPUTED = /^[A-Za-z_$][\w$]*(?:(?:\??\.|->|::)[A-Za-z_$][\w$]*)+\W*$|^[A-Za-z_$][\w$.]*[([{]/
/** Words with which a message goes on behind the name: what became of the credential, not what it is. */
const GOES_ON =
  /^(?:is|was|are|has|not|no|in|of|for|from|the|a|an|expired?|expires|invalid|missing|required|rejected|revoked|denied|failed|failure|failing|unknown|unauthori[sz]ed|forbidden|mismatch|malformed|permission|cannot|could|unable|timeout|refused|rotated?|changed|updated?|signature|verification|validation|authentication|unexpected|error|wrong|incorrect|too|must|should|redacted|hidden|ok|valid|absent|present|unset|set|add|fix|remove|use|support|allow|refresh|renew|secrets?|tokens?|passwords?|credentials?|keys?)\b\W*$/i
/** Shorter values only passwords have (characters). */
const SHORTEST = 4
const NAMES_PASSWORD = /passw(?:or)?d|passphrase|pwd/i
/** Names that count tokens, as those of language models or of buckets, and what they count, with its unit. */
const COUNTS_TOKENS = /token/i
const COUNT = /^-?\d[\d_]{0,8}(?:\.\d+)?[a-z%]{0,3}$/i
/** What is switched is not hidden. */
const SWITCH = /^(?:true|false|on|off|yes|no|enabled|disabled|null|none)?$/i

const bareOf = (value: string): string => value.replace(/^[\\"']+|[\\"']+$/g, '')

/** Whether what a name is given is a credential, by the name alone. */
function isCredentialName(name: string): boolean {
  if (!NAMES_CREDENTIAL.test(name) || ABOUT_IN_ONE_WORD.test(name)) return false
  return !ABOUT_CREDENTIALS.test(LAST_WORD.exec(name)?.[0] ?? '')
}

const isCountOrSwitch = (name: string, bare: string): boolean =>
  SWITCH.test(bare) || (COUNTS_TOKENS.test(name) && COUNT.test(bare))

/** Whether what stands behind a name in a text is a credential. */
function isCredential(name: string, between: string, value: string): boolean {
  const bare = bareOf(value)
  if (!isCredentialName(name) || isCountOrSwitch(name, bare) || NO_VALUE.test(bare)) return false
  if (/["']/.test(value)) return true
  if (GOES_ON.test(bare) || (/\s$/.test(between) && COMPUTED.test(bare))) return false
  // In a sentence a word follows that is no token: those are made by chance.
  if (name === 'token' && /:\s/.test(between) && /^[a-z]+$/.test(bare)) return false
  return bare.length >= SHORTEST || NAMES_PASSWORD.test(name)
}

/**
 * Whether values are not to be shown since what they belong to is named like a credential.
 * @param words the name of a setting, or words that hold it
 */
export function areCredentials(words: string, values: readonly string[]): boolean {
  const names = words.match(/(?:(?:api|access|account|private|signing) )?[A-Za-z_][\w.-]*/gi) ?? []
  const name = names.find((one) => isCredentialName(one.replace(/[.-]+$/, '')))
  return name !== undefined && !values.every((value) => isCountOrSwitch(name, bareOf(value.trim())))
}

/** A text without what it gives to names of credentials. */
function withoutAssigned(text: string): string {
  let kept = ''
  let done = 0
  ASSIGNED.lastIndex = 0
  for (let found = ASSIGNED.exec(text); found !== null; found = ASSIGNED.exec(text)) {
    const [whole, name = '', between = '', value = ''] = found
    const start = found.index + name.length + between.length
    if (isCredential(name, between, value)) {
      // What closes around the assignment is no part of the value.
      const end = /^(?:[^([{\\"'][^([{]*?)?([)\]}]+)$/.exec(value)?.[1] ?? ''
      kept += `${text.slice(done, start)}${HIDDEN}${end}`
      done = found.index + whole.length
    }
    // What a name is given may be the name of another.
    else ASSIGNED.lastIndex = start
  }
  return kept + text.slice(done)
}

/** Without any of these nothing in a text is an address or lets a request in, and nothing is named like a credential: most have none. */
const MAY_ASK = /:\/\/|[?&]|basic|bearer|digest|negotiate|authorization|cookie/i
const MAY_NAME = /pass|pwd|secret|token|key|credential|identified/i

function hiddenOnce(text: string): string {
  let told = text
    .replace(KEY_BLOCK, HIDDEN)
    .replace(LINE_OF_BLOCK, (line, before: string, body: string) =>
      /[a-z]/.test(body) && /[A-Z]/.test(body) ? `${before}${HIDDEN}` : line,
    )
    .replace(BY_FORM, HIDDEN)
  if (told.includes('…')) told = told.replace(CUT_THROUGH, HIDDEN)
  if (MAY_ASK.test(told)) told = told.replace(OF_ADDRESS, HIDDEN).replace(OF_REQUEST, HIDDEN)
  return MAY_NAME.test(told) ? withoutAssigned(told.replace(OF_COMMAND, HIDDEN)) : told
}

/** What is hidden can join what stood on both sides of it into a credential; so often at most. */
const MOST_PASSES = 9

/** A text without the credentials that it holds; hidden again it stays as it is. */
export function withoutCredentials(text: string): string {
  let told = text
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const again = hiddenOnce(told)
    if (again === told) break
    told = again
  }
  return told
}
