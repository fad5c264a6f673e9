import { useState } from 'preact/hooks'
import type { AnswerOf, QueryOf, Route } from './api.ts'
import { call } from './api.ts'
import { type Doing, useAnswer, useDoing } from './use-answer.ts'

/** Routes that answer a page of a list and where the next one begins. */
type ListRoute = { [Of in Route]: AnswerOf<Of> extends { next_cursor: string | null } ? Of : never }[Route]

/** A list that grows by a page at a time. */
export interface PagesOf<Of extends ListRoute> {
  readonly pages: readonly AnswerOf<Of>[]
  readonly error: ReturnType<typeof useAnswer>['error']
  readonly isLoading: boolean
  /** From the first page on, such as after a change. */
  readonly reload: () => void
  /** Reads one page more; undefined after the last. */
  readonly more: (() => void) | undefined
  readonly moreState: Doing
}

/** Reads a list: its first page at once, each further one when it is asked for. */
export function usePagesOf<Of extends ListRoute>(
  route: Of,
  given: { readonly path?: Readonly<Record<string, string>>; readonly query?: QueryOf<Of> } = {},
): PagesOf<Of> {
  const first = useAnswer(route, given)
  const [further, setFurther] = useState<{ readonly after: unknown; readonly pages: AnswerOf<Of>[] }>({
    after: undefined,
    pages: [],
  })
  const moreState = useDoing()
  // Further pages belong to the first one that they were read after.
  const pages =
    first.answer === undefined ? [] : [first.answer, ...(further.after === first.answer ? further.pages : [])]
  const cursor = (pages.at(-1) as { next_cursor: string | null } | undefined)?.next_cursor ?? null
  const readMore = async () => {
    const query = { ...(given.query as object | undefined), cursor } as QueryOf<Of>
    const next = await call(route, { ...(given.path === undefined ? {} : { path: given.path }), query })
    setFurther({ after: first.answer, pages: [...pages.slice(1), next] })
  }
  return {
    pages,
    error: first.error,
    isLoading: first.isLoading,
    reload: first.reload,
    more: cursor === null ? undefined : () => void moreState.run(readMore),
    moreState,
  }
}
