import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { AnswerOf } from '../api.ts'
import { likelihood, percent } from '../number-text.ts'
import { CopyButton } from './copy-button.tsx'
import { VerdictBadge } from './incident-badges.tsx'
import { InstantText } from './instant-text.tsx'
import { OutsideLink } from './outside-link.tsx'
import { TextWithTimes } from './text-with-times.tsx'
import './findings.css'

type Answer = AnswerOf<'POST /query'>
export type Evidence = Answer['evidence'][number]
type Hypothesis = Answer['hypotheses'][number]
type RuledOut = Answer['ruled_out'][number]
type Gap = Answer['gaps'][number]
export type Verification = AnswerOf<'POST /incidents/{id}/verify'> | AnswerOf<'POST /query/{id}/verify'>

/** A part of a page with a title of its own. */
export function Section({
  title,
  actions,
  children,
}: {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) {
  const id = useId()
  return (
    <section class="card" aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        {actions !== undefined && <div class="buttons">{actions}</div>}
      </div>
      {children}
    </section>
  )
}

/** Where a piece of evidence stands on a page that may show several answers. */
const anchorOf = (within: string, id: string): string => `${within}-${id}`

/** Evidence that is cited, in its own words, with the way to the whole of it. */
function Cited({
  title,
  ids,
  evidence,
  within,
}: {
  readonly title: string
  readonly ids: readonly string[]
  readonly evidence: readonly Evidence[]
  readonly within: string
}) {
  const cited = ids.flatMap((id) => evidence.find((each) => each.id === id) ?? [])
  if (cited.length === 0) return <p class="quiet">{title}: nothing.</p>
  return (
    <>
      <h4>{title}</h4>
      <ul class="cited">
        {cited.map(({ id, content }) => (
          <li key={id}>
            <a href={`#${anchorOf(within, id)}`} aria-label={`To the evidence ${id}`}>
              {id}
            </a>{' '}
            <TextWithTimes text={content} />
          </li>
        ))}
      </ul>
    </>
  )
}

/** How sure it is: a bar, the number and a word. */
export function Confidence({ of }: { readonly of: number }) {
  return (
    <span class="confidence">
      <meter min={0} max={1} value={of} aria-label="Confidence" /> {percent(of)}, {likelihood(of)}
    </span>
  )
}

export function Hypotheses({
  of,
  evidence,
  within,
}: {
  readonly of: readonly Hypothesis[]
  readonly evidence: readonly Evidence[]
  /** Id of the answer or incident, whose evidence the links lead to. */
  readonly within: string
}) {
  if (of.length === 0) return <p class="quiet">There is none.</p>
  return (
    <ol class="hypotheses">
      {of.map(({ statement, confidence, cause, supported_by, contradicted_by }) => (
        <li key={statement}>
          <h3>
            <TextWithTimes text={statement} />
          </h3>
          <p>
            <Confidence of={confidence} />{' '}
            <span class="quiet">
              · {cause.kind}, at the level of a {cause.level}
            </span>
          </p>
          <Cited title="For" ids={supported_by} evidence={evidence} within={within} />
          <Cited title="Against" ids={contradicted_by} evidence={evidence} within={within} />
        </li>
      ))}
    </ol>
  )
}

export function RuledOutList({ of }: { readonly of: readonly RuledOut[] }) {
  if (of.length === 0) return <p class="quiet">Nothing was ruled out.</p>
  return (
    <ul class="plain">
      {of.map(({ statement, reason }) => (
        <li key={statement}>
          <strong>
            <TextWithTimes text={statement} />
          </strong>{' '}
          <TextWithTimes text={reason} />
        </li>
      ))}
    </ul>
  )
}

export function GapList({ of }: { readonly of: readonly Gap[] }) {
  if (of.length === 0) return <p class="quiet">Nothing is known to be missing.</p>
  return (
    <ul class="plain">
      {of.map(({ what, why }) => (
        <li key={`${what} ${why}`}>
          <strong>{what}</strong>: <TextWithTimes text={why} />
        </li>
      ))}
    </ul>
  )
}

/** How the check of all evidence went, in a sentence. */
export function VerificationLine({ of }: { readonly of: Verification }) {
  const parts = Object.entries(of.counts).filter(([, count]) => count > 0)
  return (
    <p role="status">
      Checked <InstantText at={of.verified_at} />:{' '}
      {parts.length === 0
        ? 'there was nothing to check.'
        : `${parts.map(([name, count]) => `${count} ${name}`).join(', ')}.`}
    </p>
  )
}

function Checked({ of }: { readonly of: Verification['evidence'][number] }) {
  return (
    <div class="checked">
      <p>
        <VerdictBadge of={of.status} /> <TextWithTimes text={of.why} />
      </p>
      {of.now !== null && of.now !== of.was && (
        <p>
          Now: <TextWithTimes text={of.now} />
        </p>
      )}
    </div>
  )
}

/** Each piece of evidence: what it says, what was asked to learn it, where to look, and what became of it. */
export function EvidenceList({
  of,
  verification,
  within,
}: {
  readonly of: readonly Evidence[]
  readonly verification: Verification | undefined
  /** Id of the answer or incident that it belongs to. */
  readonly within: string
}) {
  if (of.length === 0) return <p class="quiet">There is none.</p>
  return (
    <ol class="evidence">
      {of.map(({ id, content, source, type, window, link, query, digest }) => {
        const checked = verification?.evidence.find((each) => each.id === id)
        return (
          <li key={id} id={anchorOf(within, id)} tabIndex={-1}>
            <p>
              <span class="evidence-id">{id}</span> <TextWithTimes text={content} />
              {link !== null && (
                <>
                  {' '}
                  <OutsideLink href={link}>Open in the tool</OutsideLink>
                </>
              )}
            </p>
            {checked !== undefined && <Checked of={checked} />}
            <details>
              <summary>
                <span class="quiet">
                  {source}, {type} ·
                </span>{' '}
                what was asked
              </summary>
              {window !== null && (
                <p>
                  For <InstantText at={window.start} isExact /> to{' '}
                  <InstantText at={window.end} near={window.start} isExact />:
                </p>
              )}
              <pre>
                <code>{query}</code>
              </pre>
              <CopyButton text={query} label="Copy the query" />
              {digest !== null && <p class="quiet digest">SHA-256 of what came back: {digest}</p>}
            </details>
          </li>
        )
      })}
    </ol>
  )
}
