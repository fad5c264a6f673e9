import * as z from 'zod/mini'

// What GitHub's REST API answers, as far as it is read. Unknown members are dropped, so that additions do no harm;
// members that the reader needs are checked. Author e-mail addresses are left behind on purpose.

const sha = z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/))

/** ISO 8601 with a zone, as milliseconds since the epoch. */
const instant = z.pipe(
  z.string().check(
    z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/),
    z.refine((text) => !Number.isNaN(Date.parse(text))),
  ),
  z.transform((text: string) => Date.parse(text)),
)

/** An account may be null (deleted), or an empty object where GitHub knows only the e-mail address. */
const account = z.nullish(z.object({ login: z.optional(z.string()) }))
const signature = z.nullish(z.object({ name: z.optional(z.string()), date: z.optional(instant) }))

const file = z.object({
  filename: z.string(),
  previous_filename: z.optional(z.string()),
  status: z.optional(z.string()),
  changes: z.optional(z.number()),
  /** Absent for binary files and for patches that GitHub finds too large. */
  patch: z.optional(z.string()),
})
export type GithubFile = z.infer<typeof file>

export const commitAnswer = z.object({
  sha,
  html_url: z.optional(z.string()),
  commit: z.object({ message: z.string(), author: signature, committer: signature }),
  author: account,
  parents: z.optional(z.array(z.object({ sha }))),
  files: z.optional(z.array(file)),
})
export type GithubCommit = z.infer<typeof commitAnswer>

export const deploymentAnswer = z.object({
  id: z.int(),
  sha,
  ref: z.optional(z.string()),
  environment: z.string(),
  creator: account,
  created_at: instant,
  transient_environment: z.optional(z.boolean()),
  production_environment: z.optional(z.boolean()),
})
export type GithubDeployment = z.infer<typeof deploymentAnswer>

export const deploymentStatusAnswer = z.object({ state: z.string(), created_at: instant })

export const comparisonAnswer = z.object({
  html_url: z.optional(z.string()),
  status: z.enum(['ahead', 'behind', 'diverged', 'identical']),
  behind_by: z.int(),
  total_commits: z.int(),
  commits: z.array(z.unknown()),
  files: z.optional(z.array(file)),
})

export const releaseAnswer = z.object({
  id: z.int(),
  tag_name: z.string(),
  name: z.nullish(z.string()),
  html_url: z.optional(z.string()),
  draft: z.boolean(),
  created_at: instant,
  /** Null for a draft. */
  published_at: z.nullable(instant),
  author: account,
})

export const pullRequestAnswer = z.object({
  number: z.int(),
  title: z.string(),
  html_url: z.optional(z.string()),
  user: account,
  updated_at: instant,
  /** Null where it was closed without a merge. */
  merged_at: z.nullable(instant),
  merge_commit_sha: z.nullish(sha),
  base: z.object({
    ref: z.string(),
    repo: z.nullish(z.object({ default_branch: z.optional(z.string()) })),
  }),
})
export type GithubPullRequest = z.infer<typeof pullRequestAnswer>

export const checkRunAnswer = z.object({
  name: z.string(),
  status: z.string(),
  conclusion: z.nullish(z.string()),
})

export const checkRunsAnswer = z.object({ total_count: z.int(), check_runs: z.array(z.unknown()) })

export const appAnswer = z.object({ id: z.int(), slug: z.optional(z.string()) })

export const installedRepositoryAnswer = z.object({
  full_name: z.string(),
  pushed_at: z.nullish(instant),
})
export const installedRepositoriesAnswer = z.object({
  total_count: z.int(),
  repositories: z.array(z.unknown()),
})

export const repositoryAnswer = z.object({ full_name: z.string(), private: z.boolean() })

/** What GitHub answers to a request that it does not grant. */
export const errorAnswer = z.object({ message: z.string() })

/** The readable items of a list, and how many were not. */
export interface ReadItems<T> {
  readonly items: readonly T[]
  readonly malformed: number
  /** Where the first malformed item went wrong, such as `[3].commit.message`. */
  readonly first: string | undefined
}

/** Reads a list item by item: one malformed item does not spoil the rest. Undefined when it is no list. */
export function readItems<T>(schema: z.ZodMiniType<T>, value: unknown): ReadItems<T> | undefined {
  if (!Array.isArray(value)) return undefined
  const items: T[] = []
  let malformed = 0
  let first: string | undefined
  for (const [index, item] of value.entries()) {
    const read = schema.safeParse(item)
    if (read.success) items.push(read.data)
    else {
      malformed += 1
      first ??= `[${index}]${(read.error.issues[0]?.path ?? []).map((part) => `.${String(part)}`).join('')}`
    }
  }
  return { items, malformed, first }
}

/** Longest diff kept of one change, in characters: what decides is a few lines, and a snapshot holds hundreds. */
export const MAX_DIFF_LENGTH = 65_536

/** Git quotes names that hold control characters, quotes or backslashes; so does this. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const quoted = (name: string): string => (/[\u0000-\u001f\u007f"\\]/.test(name) ? JSON.stringify(name) : name)

/**
 * One unified diff over the files of a commit or a comparison, headed as git does.
 * @returns the diff, null where no file has a patch; the files whose patch GitHub left out; whether it was cut
 */
export function unifiedDiff(files: readonly GithubFile[]): {
  readonly diff: string | null
  readonly without_patch: readonly string[]
  readonly cut: boolean
} {
  const parts: string[] = []
  const withoutPatch: string[] = []
  let patched = false
  for (const { filename, previous_filename, status, changes, patch } of files) {
    const before = quoted(`a/${previous_filename ?? filename}`)
    const after = quoted(`b/${filename}`)
    parts.push(`diff --git ${before} ${after}\n`)
    if (patch === undefined) {
      // A file that was only renamed has nothing to show.
      if (changes === 0 && status === 'renamed') continue
      withoutPatch.push(filename)
      parts.push('(no patch given)\n')
      continue
    }
    patched = true
    parts.push(
      `--- ${status === 'added' ? '/dev/null' : before}\n`,
      `+++ ${status === 'removed' ? '/dev/null' : after}\n`,
      patch.endsWith('\n') ? patch : `${patch}\n`,
    )
  }
  const whole = parts.join('')
  const cut = whole.length > MAX_DIFF_LENGTH
  return {
    diff: patched ? (cut ? whole.slice(0, whole.lastIndexOf('\n', MAX_DIFF_LENGTH) + 1) : whole) : null,
    without_patch: withoutPatch,
    cut: patched && cut,
  }
}

/** How many requests are left, and of how many. */
export const rateAnswer = z.object({
  resources: z.object({ core: z.object({ limit: z.number(), remaining: z.number() }) }),
})
