import { createHash, randomBytes } from 'node:crypto'

/** Where a page led. */
export interface Led {
  readonly answer: Response
  readonly text: string
  /** Where the browser is sent on to; null where it is not. */
  readonly to: string | null
}

/**
 * A browser of a few lines: it keeps cookies, and tells where it is led instead of going there.
 * @param origin of the pages that are named without one
 * @returns asks for a page, or sends it a form
 */
export function cookieBrowser(
  origin: string,
): (address: string, form?: Readonly<Record<string, string>>) => Promise<Led> {
  const cookies = new Map<string, string>()
  return async (address, form) => {
    const answer = await fetch(new URL(address, origin), {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '' || /max-age=0/i.test(cookie)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return { answer, text: await answer.text(), to: answer.headers.get('location') }
  }
}

/** A verifier and its challenge, as a page makes them before people sign in (PKCE). */
export function codeVerifier(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}
