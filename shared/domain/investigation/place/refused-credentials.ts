/**
 * How datastores, clouds and identity providers say that what one logs in with is not the right thing: knowledge of public technology.
 * Each is a row of what systems answer (`causes/system-answers.ts`), and the page on which it is documented stands beside that.
 */

export const POSTGRESQL_REFUSES_LOGIN = /password authentication failed for user|\b28p01\b/i
export const MYSQL_REFUSES_LOGIN =
  /access denied for user '[^']*'@|\ber_access_denied_error\b|\berror 1045\b/i
export const REDIS_REFUSES_LOGIN = /\bwrongpass\b|\bnoauth authentication required/i
export const KEY_REVOKED =
  /\binvalidclienttokenid\b(?!.{0,80}\bexpired\b)|\binvalidaccesskeyid\b|api[ _]key (has been |was |is )?(revoked|expired|disabled)/i
export const AWS_SIGNATURE_WRONG = /\bsignaturedoesnotmatch\b|request signature we calculated does not match/i
export const OAUTH_CLIENT_REFUSED = /\binvalid_client\b|\baadsts700021[56]\b/i
export const API_KEY_WRONG = /\b(invalid|incorrect) api[ _]key provided\b/i

/** All of them. */
export const REFUSED_CREDENTIALS: readonly RegExp[] = [
  POSTGRESQL_REFUSES_LOGIN,
  MYSQL_REFUSES_LOGIN,
  REDIS_REFUSES_LOGIN,
  KEY_REVOKED,
  AWS_SIGNATURE_WRONG,
  OAUTH_CLIENT_REFUSED,
  API_KEY_WRONG,
]

/** Whether a text holds one of these answers. */
export const saysCredentialsRefused = (text: string): boolean =>
  REFUSED_CREDENTIALS.some((answer) => answer.test(text))
