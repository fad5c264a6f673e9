import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type AnswerOf, type ApiError, type Given, type Route, readTagged } from './api.ts'
import { type Asked, asApiError } from './use-answer.ts'

/** A resource that is read again and again, and its version. */
export interface Live<Answer> extends Asked<Answer> {
  /** The version that is shown, for a change that is meant for no other. */
  readonly tag: string | null
}

/** After a failure it is tried again this late, unless the API says when. */
const AFTER_FAILURE_MS = 30_000

/**
 * Reads a resource and keeps it as it is now: it is asked for again after `every` milliseconds, with the version that is
 * held, so that nothing is sent while nothing changes, and not while nobody looks at the page.
 */
export function useLive<Of extends Route>(
  route: Of,
  given: Omit<Given<Of>, 'signal'>,
  every: (answer: AnswerOf<Of> | undefined) => number,
): Live<AnswerOf<Of>> {
  type State = Omit<Live<AnswerOf<Of>>, 'reload'>
  const nothing: State = { answer: undefined, error: undefined, isLoading: true, tag: null }
  const [state, setState] = useState<State>(nothing)
  const [round, setRound] = useState(0)
  const asked = JSON.stringify([route, given])
  const held = useRef<{ asked: string; state: State }>({ asked, state: nothing })
  // `asked` stands for route and given, which are new objects at every rendering; a new round asks again at once.
  useEffect(() => {
    const ending = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let isMissed = false
    if (held.current.asked !== asked) held.current = { asked, state: nothing }
    const show = (next: State) => {
      if (ending.signal.aborted) return
      held.current = { asked, state: next }
      setState(next)
    }
    const wait = (ms: number) => {
      if (ending.signal.aborted) return
      timer = setTimeout(() => {
        isMissed = document.hidden
        if (!isMissed) void read()
      }, ms)
    }
    const read = async () => {
      const { answer, tag } = held.current.state
      try {
        const got = await readTagged(route, { ...(given as Given<Of>), signal: ending.signal }, tag)
        const now = got ?? { answer: answer as AnswerOf<Of>, tag }
        show({ ...now, error: undefined, isLoading: false })
        wait(every(now.answer))
      } catch (failure) {
        const error: ApiError = asApiError(failure)
        show({ answer, tag, error, isLoading: false })
        wait(error.retryAfter === null ? AFTER_FAILURE_MS : error.retryAfter * 1_000)
      }
    }
    show({ ...held.current.state, error: undefined, isLoading: true })
    void read()
    // Whoever comes back sees what is now, not what was when they left.
    const seen = () => {
      if (document.hidden || !isMissed) return
      isMissed = false
      void read()
    }
    document.addEventListener('visibilitychange', seen)
    return () => {
      document.removeEventListener('visibilitychange', seen)
      ending.abort()
      clearTimeout(timer)
    }
  }, [asked, round])
  return { ...state, reload: useCallback(() => setRound((now) => now + 1), []) }
}
