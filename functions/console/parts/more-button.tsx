import type { Doing } from '../use-answer.ts'
import { Failure } from './states.tsx'

/** Reads the next page of a list, where there is one. */
export function MoreButton({
  more,
  state,
}: {
  readonly more: (() => void) | undefined
  readonly state: Doing
}) {
  if (more === undefined) return null
  return (
    <div class="more">
      {state.error !== undefined && <Failure error={state.error} />}
      <button type="button" aria-disabled={state.isBusy} onClick={more}>
        {state.isBusy ? 'Loading…' : 'Show more'}
      </button>
    </div>
  )
}
