import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { lazy, useRoute } from 'preact-iso'
import { hasAdvice } from '#shared/domain/investigation/findings.ts'
import { diffExcerpt } from '#shared/domain/investigation/screen/diff-excerpt.ts'
import { type AnswerOf, call } from '../api.ts'
import { splitLine } from '../number-text.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import {
  EvidenceList,
  GapList,
  Hypotheses,
  RuledOutList,
  Section,
  type Verification,
  VerificationLine,
} from '../parts/findings.tsx'
import { AnalysisState, IncidentStatus, Severity } from '../parts/incident-badges.tsx'
import { InstantText } from '../parts/instant-text.tsx'
import { OutsideLink } from '../parts/outside-link.tsx'
import { Page } from '../parts/page.tsx'
import { Answered, Empty, Failure } from '../parts/states.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { TextWithTimes } from '../parts/text-with-times.tsx'
import { mayChange } from '../session.ts'
import { place } from '../settings.ts'
import { useDoing } from '../use-answer.ts'
import { type Live, useLive } from '../use-live.ts'
import './incident.css'

type File = AnswerOf<'GET /incidents/{id}'>
type RootCause = NonNullable<File['root_cause']>
type Status = File['status']

/** The charts bring a library along: they are loaded here and nowhere else. */
const Charts = lazy(() => import('../parts/incident-charts.tsx').then(({ IncidentCharts }) => IncidentCharts))

/** An analysis ends within seconds; what people do is slower. */
const WHILE_ANALYSED_MS = 3_000
const OTHERWISE_MS = 15_000
const refreshOf = (file: File | undefined): number =>
  file?.analysis === 'pending' || file?.analysis === 'running' ? WHILE_ANALYSED_MS : OTHERWISE_MS

/** What may follow a status, in the words of the button that does it. */
const STEPS: Readonly<Record<Status, readonly (readonly [Status, string])[]>> = {
  open: [
    ['investigating', 'I look into it'],
    ['resolved', 'Resolve'],
  ],
  investigating: [['resolved', 'Resolve']],
  resolved: [['investigating', 'Reopen']],
}

function Actions({ file, live }: { readonly file: File; readonly live: Live<File> }) {
  const doing = useDoing()
  const { id } = file
  const move = async (status: Status) => {
    const ifMatch = live.tag ?? undefined
    await doing.run(() => call('PATCH /incidents/{id}', { path: { id }, body: { status }, ifMatch }))
    live.reload()
  }
  const isRunning = file.analysis === 'pending' || file.analysis === 'running'
  const investigate = async () => {
    if (isRunning) return
    await doing.run(() => call('POST /incidents/{id}/investigate', { path: { id } }))
    live.reload()
  }
  const isStale = doing.error?.status === 412
  return (
    <>
      <div class="buttons">
        {STEPS[file.status].map(([status, text]) => (
          <button key={status} type="button" aria-disabled={doing.isBusy} onClick={() => void move(status)}>
            {text}
          </button>
        ))}
        <button type="button" aria-disabled={doing.isBusy || isRunning} onClick={() => void investigate()}>
          Investigate again
        </button>
      </div>
      {isStale && (
        <p class="problem" role="alert">
          Somebody changed this incident meanwhile, so nothing was done. It is shown now as it is: please
          decide again.
        </p>
      )}
      {doing.error !== undefined && !isStale && <Failure error={doing.error} />}
    </>
  )
}

const Fact = ({ of, children }: { readonly of: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{of}</dt>
    <dd>{children}</dd>
  </div>
)

function Facts({ file }: { readonly file: File }) {
  const { status, severity, service, started_at, created_at, updated_at, resolved_at, analysis } = file
  return (
    <>
      <p class="badges">
        <IncidentStatus of={status} /> <Severity of={severity} /> <AnalysisState of={analysis} />
      </p>
      <dl class="facts">
        {service !== null && <Fact of="Service">{service}</Fact>}
        {started_at !== null && (
          <Fact of="Began">
            <InstantText at={started_at} />
          </Fact>
        )}
        <Fact of="Opened">
          <InstantText at={created_at} />
        </Fact>
        <Fact of="Changed">
          <InstantText at={updated_at} />
        </Fact>
        {resolved_at !== null && (
          <Fact of="Resolved">
            <InstantText at={resolved_at} />
          </Fact>
        )}
      </dl>
    </>
  )
}

/** The first screen: the lines that the service composed, in its order. */
function Card({ lines }: { readonly lines: readonly string[] }) {
  return (
    <Section title="At a glance">
      <dl class="glance">
        {lines.map((line) => {
          const { label, text } = splitLine(line)
          return (
            <div key={line}>
              <dt>{label}</dt>
              <dd>
                <TextWithTimes text={text} />
              </dd>
            </div>
          )
        })}
      </dl>
    </Section>
  )
}

function NotAnalysed({ analysis }: { readonly analysis: File['analysis'] }) {
  if (analysis === 'failed')
    return (
      <Empty title="The analysis failed.">
        <p>The history below says when. Investigate again once the tools answer.</p>
      </Empty>
    )
  return (
    <div role="status">
      <Empty title="It is being analysed.">
        <p>What is found appears here by itself, usually within half a minute.</p>
      </Empty>
    </div>
  )
}

function Revised({ of: { revision } }: { readonly of: RootCause }) {
  if (revision === undefined) return null
  const { since, changed, new_evidence, lost_evidence, withdrawn } = revision
  const isSame = changed.length + new_evidence.length + lost_evidence.length + withdrawn.length === 0
  const list = (title: string, items: readonly string[]) =>
    items.length > 0 && (
      <>
        <h3>{title}</h3>
        <ul class="plain">
          {items.map((item) => (
            <li key={item}>
              <TextWithTimes text={item} />
            </li>
          ))}
        </ul>
      </>
    )
  return (
    <Section title="What changed since the look before">
      <p class="quiet">
        That look was <InstantText at={since} />.
      </p>
      {isSame && <p>Nothing: the same was found again.</p>}
      {list(
        'Found otherwise',
        changed.map(({ what, before, after }) => `${what}: ${before || 'none'} → ${after || 'none'}`),
      )}
      {list('New evidence', new_evidence)}
      {list('No longer there', lost_evidence)}
      {list(
        'Withdrawn',
        withdrawn.map(({ statement, why }) => `${statement} ${why}`),
      )}
    </Section>
  )
}

function NextStep({ of }: { readonly of: RootCause }) {
  const { next_check, remediation, revert_to } = of
  const isAdvised = hasAdvice(of)
  if (next_check === null && !isAdvised && revert_to === null) return null
  return (
    <Section title="What next">
      {next_check !== null && (
        <>
          <p>
            <TextWithTimes text={next_check.text} />{' '}
            {next_check.link !== null && <OutsideLink href={next_check.link}>Open in the tool</OutsideLink>}
          </p>
          {next_check.query !== null && (
            <>
              <pre>
                <code>{next_check.query}</code>
              </pre>
              <CopyButton text={next_check.query} label="Copy the query" />
            </>
          )}
        </>
      )}
      {isAdvised && (
        <p>
          <strong>
            Advice: {remediation.action === 'none' ? 'nothing now' : remediation.action.replaceAll('_', ' ')}
          </strong>
          {remediation.action !== 'none' && remediation.target !== null && <> of {remediation.target}</>}.{' '}
          <TextWithTimes text={remediation.why} />
        </p>
      )}
      {revert_to !== null && (
        <p>
          Return to: <code>{revert_to}</code>
        </p>
      )}
    </Section>
  )
}

const LINE_KINDS: Readonly<Record<string, string>> = { '-': 'gone', '+': 'fresh' }

/** The lines of the named change that decide, as its diff has them. */
function DecisiveLines({ of }: { readonly of: RootCause }) {
  const lines = diffExcerpt(of.decisive_lines)
  if (lines.length === 0) return null
  return (
    <Section title="Decisive lines of the change">
      <pre class="diff">
        <code>
          {lines.map((line, index) => (
            <span key={`${index} ${line}`} class={LINE_KINDS[line.charAt(0)] ?? 'file'}>
              {line}
              {'\n'}
            </span>
          ))}
        </code>
      </pre>
    </Section>
  )
}

function EvidenceSection({
  id,
  evidence,
}: {
  readonly id: string
  readonly evidence: RootCause['evidence']
}) {
  const doing = useDoing()
  const [verification, setVerification] = useState<Verification>()
  const check = () =>
    doing.run(async () => setVerification(await call('POST /incidents/{id}/verify', { path: { id } })))
  return (
    <Section
      title="Evidence"
      actions={
        mayChange.value &&
        evidence.length > 0 && (
          <button type="button" aria-disabled={doing.isBusy} onClick={() => void check()}>
            {doing.isBusy ? 'Asking the tools…' : 'Check again'}
          </button>
        )
      }
    >
      {doing.error !== undefined && <Failure error={doing.error} />}
      {verification !== undefined && <VerificationLine of={verification} />}
      <EvidenceList of={evidence} verification={verification} within={id} />
    </Section>
  )
}

function Found({ file, of }: { readonly file: File; readonly of: RootCause }) {
  return (
    <>
      {file.summary_card !== null && <Card lines={file.summary_card} />}
      <DecisiveLines of={of} />
      <NextStep of={of} />
      <Revised of={of} />
      <Charts id={file.id} digest={of.snapshot_digest} />
      <Section title="Hypotheses">
        <Hypotheses of={of.hypotheses} evidence={of.evidence} within={file.id} />
      </Section>
      <div class="cards beside">
        <Section title="Ruled out">
          <RuledOutList of={of.ruled_out} />
        </Section>
        <Section title="Not looked at">
          <GapList of={of.gaps} />
        </Section>
      </div>
      <EvidenceSection key={of.snapshot_digest} id={file.id} evidence={of.evidence} />
    </>
  )
}

function Alerts({ of }: { readonly of: File['alerts'] }) {
  if (of.length === 0) return null
  return (
    <Section title="Alerts">
      <ul class="plain">
        {of.map(({ title, description, status, starts_at, ends_at, url, service, integration_id }) => (
          <li key={`${integration_id} ${title} ${starts_at}`}>
            <StatusBadge tone={status === 'firing' ? 'bad' : 'good'}>{status}</StatusBadge>{' '}
            {url === null ? title : <OutsideLink href={url}>{title}</OutsideLink>}
            {service !== null && <span class="quiet"> · {service}</span>}{' '}
            <span class="quiet">
              since <InstantText at={starts_at} />
              {ends_at !== null && (
                <>
                  {' '}
                  until <InstantText at={ends_at} near={starts_at} />
                </>
              )}
            </span>
            {description !== null && <div>{description}</div>}
          </li>
        ))}
      </ul>
    </Section>
  )
}

function History({ of }: { readonly of: File['timeline'] }) {
  return (
    <Section title="History">
      <ol class="history">
        {of.map(({ id, at, text, by }, index) => (
          <li key={id}>
            <InstantText at={at} near={of[index - 1]?.at} isExact /> <TextWithTimes text={text} />{' '}
            <span class="quiet">by {by}</span>
          </li>
        ))}
      </ol>
    </Section>
  )
}

function IncidentFile({ file, live }: { readonly file: File; readonly live: Live<File> }) {
  return (
    <Page title={file.title}>
      <Facts file={file} />
      {mayChange.value && <Actions file={file} live={live} />}
      {file.description !== null && <p class="description">{file.description}</p>}
      {file.root_cause === null ? (
        <NotAnalysed analysis={file.analysis} />
      ) : (
        <Found file={file} of={file.root_cause} />
      )}
      <Alerts of={file.alerts} />
      <History of={file.timeline} />
      <p class="quiet digest">
        {file.id}
        {file.root_cause !== null &&
          ` · engine ${file.root_cause.engine_version} · snapshot ${file.root_cause.snapshot_digest}`}
      </p>
    </Page>
  )
}

/** One incident: what broke, why, with which evidence, and what people did about it. */
export function IncidentPage() {
  const { id = '' } = useRoute().params
  const live = useLive('GET /incidents/{id}', { path: { id } }, refreshOf)
  return (
    <>
      <p class="back">
        <a href={place('incidents')}>All incidents</a>
      </p>
      {live.answer === undefined && <h1 class="unseen">Incident</h1>}
      <Answered asked={live} what="the incident">
        {(file) => <IncidentFile file={file} live={live} />}
      </Answered>
    </>
  )
}
