import type { JsonWebKey } from 'node:crypto'

/** The client that access tokens are issued for. */
export const LOCAL_CLIENT = 'local-console'
/** As deployed: what a user did with a token that was taken away from them is over after this. */
export const TOKEN_SECONDS = 900

/** The users that there are locally, by the name they sign in with; one password serves both. */
export const LOCAL_USERS = {
  admin: { sub: '7e4b1c52-0d53-4f5e-9a51-a11ce0000001', groups: ['admin'] },
  viewer: { sub: '7e4b1c52-0d53-4f5e-9a51-a11ce0000002', groups: ['viewer'] },
} as const
export type LocalUser = keyof typeof LOCAL_USERS

/** The claims by which the API tells who calls, in the form in which user pools write them. */
export const userClaims = (name: LocalUser) => ({
  token_use: 'access',
  username: name,
  'cognito:groups': LOCAL_USERS[name].groups,
})

/** What a data folder keeps of signing in. */
export interface SignInSecrets {
  readonly key: JsonWebKey & { readonly kid: string }
  readonly password: string
}
