/** The function behind the console's files: a page and its assets, which no key is asked for. */
export const CONSOLE = 'serve-console'

/** Where the console is, below the base address: the page itself, and everything that it links to. */
export const CONSOLE_PATHS = ['/console', '/console/{file+}'] as const

/** What the page is told about itself, as JSON in an attribute of it. */
export interface ConsoleSettings {
  /** Path below which the console is served, with a slash at its end. */
  readonly base: string
  /** Base address of the API, without a slash at its end; a path of the same origin. */
  readonly api: string
  readonly signIn: SignInPlace
}

/** Where users sign in, and who says so. */
export interface SignInPlace {
  /** Origin of the pages where users sign in. */
  readonly address: string
  readonly issuer: string
  readonly clientId: string
}
