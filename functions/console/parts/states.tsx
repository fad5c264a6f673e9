import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ApiError } from '../api.ts'
import type { Asked } from '../use-answer.ts'

/** Something is awaited. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="state" role="status">
      <span class="spinner" aria-hidden="true" /> Loading {what}…
    </p>
  )
}

/** There is nothing, and what to do about it. */
export function Empty({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ComponentChildren
}) {
  return (
    <div class="state state-empty">
      <p class="state-title">{title}</p>
      {children}
    </div>
  )
}

/** Seconds that are left of a wait, counted down. */
function useSecondsLeft(error: ApiError): number {
  const [left, setLeft] = useState(error.retryAfter ?? 0)
  useEffect(() => {
    setLeft(error.retryAfter ?? 0)
    const timer = setInterval(() => setLeft((now) => Math.max(0, now - 1)), 1_000)
    return () => clearInterval(timer)
  }, [error])
  return left
}

const titleOf = ({ status }: ApiError): string => {
  if (status === 429) return 'Too many requests'
  if (status === 403) return 'You may not see this'
  if (status === 404) return 'This does not exist'
  if (status === 0) return 'No connection'
  return 'This did not work'
}

/** Why something is not shown, or was not done, and how to try again. */
export function Failure({ error, retry }: { readonly error: ApiError; readonly retry?: () => void }) {
  const left = useSecondsLeft(error)
  const requestId = error.details.request_id
  return (
    <div class="state state-failure">
      {/* What counts down stands outside: each second of it would be read out. */}
      <div role="alert">
        <p class="state-title">{titleOf(error)}</p>
        <p>{error.message}</p>
        {typeof requestId === 'string' && <p class="quiet">Request {requestId}</p>}
      </div>
      {retry === undefined && left > 0 && <p>It can be tried again in {left} s.</p>}
      {retry !== undefined && error.status !== 404 && (
        <button type="button" disabled={left > 0} onClick={retry}>
          {left > 0 ? `Try again in ${left} s` : 'Try again'}
        </button>
      )}
    </div>
  )
}

/** What is asked for, once it is there; until then why not. An answer stays while a newer one is awaited or fails. */
export function Answered<Answer>({
  asked: { answer, error, isLoading, reload },
  what,
  children,
}: {
  readonly asked: Asked<Answer>
  readonly what: string
  readonly children: (answer: Answer) => ComponentChildren
}) {
  return (
    <>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {answer === undefined && isLoading && <Loading what={what} />}
      {answer !== undefined && children(answer)}
    </>
  )
}
