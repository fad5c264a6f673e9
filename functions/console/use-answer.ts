import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type AnswerOf, ApiError, call, type Given, type Route } from './api.ts'

/** What a page knows of an answer that it waits for. */
export interface Asked<Answer> {
  /** The last answer; kept while a newer one is awaited. */
  readonly answer: Answer | undefined
  readonly error: ApiError | undefined
  readonly isLoading: boolean
  /** Asks again, such as after a change. */
  readonly reload: () => void
}

/** Whatever was thrown, as what a page can tell. */
export const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(0, 'INTERNAL_ERROR', String(error), {}, null)

/** Reads a route when the page appears and whenever what is asked for changes; an older answer never wins. */
export function useAnswer<Of extends Route>(
  route: Of,
  given: Omit<Given<Of>, 'signal'> = {},
): Asked<AnswerOf<Of>> {
  const [state, setState] = useState<Omit<Asked<AnswerOf<Of>>, 'reload'>>({
    answer: undefined,
    error: undefined,
    isLoading: true,
  })
  const [round, setRound] = useState(0)
  const asked = JSON.stringify([route, given])
  const before = useRef(asked)
  // `asked` stands for route and given, which are new objects at every rendering; a new round asks again.
  useEffect(() => {
    const ending = new AbortController()
    const isSame = before.current === asked
    before.current = asked
    setState(({ answer }) => ({ answer: isSame ? answer : undefined, error: undefined, isLoading: true }))
    call(route, { ...(given as Given<Of>), signal: ending.signal }).then(
      (answer) => setState({ answer, error: undefined, isLoading: false }),
      (error: unknown) => {
        if (!ending.signal.aborted)
          setState(({ answer }) => ({ answer, error: asApiError(error), isLoading: false }))
      },
    )
    return () => ending.abort()
  }, [asked, round])
  return { ...state, reload: useCallback(() => setRound((now) => now + 1), []) }
}

/** A change under way: whether it is, and why the last one failed. */
export interface Doing {
  readonly isBusy: boolean
  readonly error: ApiError | undefined
  /** Does it, and keeps why it failed; true when it was done. */
  readonly run: (act: () => Promise<unknown>) => Promise<boolean>
  readonly forget: () => void
}

/** Keeps a form or a button from doing something twice, and tells why it was not done. */
export function useDoing(): Doing {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError>()
  const busy = useRef(false)
  return {
    isBusy,
    error,
    forget: () => setError(undefined),
    run: async (act) => {
      if (busy.current) return false
      busy.current = true
      setBusy(true)
      setError(undefined)
      try {
        await act()
        return true
      } catch (failure) {
        setError(asApiError(failure))
        return false
      } finally {
        busy.current = false
        setBusy(false)
      }
    },
  }
}
