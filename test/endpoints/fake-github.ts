import type { ServerResponse } from 'node:http'
import { serveHttp } from '#test/adapters/loopback-server.ts'

/** What a test lets the server do next. */
export type GithubMood =
  /** Takes the credentials and serves one public repository without commits. */
  | 'well'
  /** Takes every request and never answers. */
  | 'hanging'
  /** Answers everything with 500 and a text that repeats what it was sent. */
  | 'failing'
  /** Answers with what is no JSON, repeating what it was sent. */
  | 'babbling'

/** A GitHub of this test's own on 127.0.0.1: knows one client with one secret and the repository acme/shop. */
export interface FakeGithub {
  readonly baseUrl: string
  mood: GithubMood
  /** Settings of an integration that this server takes. */
  readonly config: {
    readonly app_id: string
    readonly client_id: string
    readonly client_secret: string
    readonly base_url: string
    readonly repositories: readonly string[]
  }
  requests(): readonly string[]
  close(): Promise<void>
}

const REPOSITORY = { id: 1, name: 'shop', full_name: 'acme/shop', private: false, default_branch: 'main' }

export async function startFakeGithub(secret = 'the-one-right-secret'): Promise<FakeGithub> {
  const client = 'Iv1.0123456789abcdef'
  const right = `Basic ${Buffer.from(`${client}:${secret}`).toString('base64')}`
  const state: { mood: GithubMood } = { mood: 'well' }
  const json = (response: ServerResponse, status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }
  const server = await serveHttp((request, response) => {
    const authorization = request.headers.authorization ?? ''
    const echo = `${authorization} ${Buffer.from(authorization.slice(6), 'base64').toString()}`
    const path = (request.url ?? '').replace(/^\/api\/v3/, '').replace(/\?.*/, '')
    if (state.mood === 'hanging') return
    if (state.mood === 'failing') json(response, 500, { message: `cannot serve ${echo}` })
    else if (state.mood === 'babbling') {
      response.writeHead(200, { 'content-type': 'text/html', link: `<${echo}>; rel="next"` })
      response.end(`<html>${echo}`)
    } else if (authorization !== right) json(response, 401, { message: `Bad credentials ${echo}` })
    else if (path.endsWith('/token')) json(response, 404, { message: 'Not Found' })
    else if (path === '/repos/acme/shop') json(response, 200, REPOSITORY)
    else if (path.startsWith('/repos/acme/shop/')) json(response, 200, [])
    else json(response, 404, { message: 'Not Found' })
  })
  const baseUrl = `${server.url}/api/v3`
  return {
    baseUrl,
    get mood() {
      return state.mood
    },
    set mood(mood: GithubMood) {
      state.mood = mood
    },
    config: {
      app_id: '12345',
      client_id: client,
      client_secret: secret,
      base_url: baseUrl,
      repositories: ['acme/shop'],
    },
    requests: () => server.requests(),
    close: () => server.close(),
  }
}
