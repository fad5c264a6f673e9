import type { ComponentChildren } from 'preact'

/** How a state is meant: its colour comes with a sign, so that nobody needs to see colours. */
export type Tone = 'good' | 'warning' | 'bad' | 'busy' | 'calm'
const SIGNS: Readonly<Record<Tone, string>> = { good: '✓', warning: '!', bad: '✕', busy: '…', calm: '–' }

/** A state in one word. */
export function StatusBadge({
  tone,
  children,
}: {
  readonly tone: Tone
  readonly children: ComponentChildren
}) {
  return (
    <span class={`badge badge-${tone}`}>
      <span aria-hidden="true">{SIGNS[tone]}</span>
      {'\u00a0'}
      {children}
    </span>
  )
}
