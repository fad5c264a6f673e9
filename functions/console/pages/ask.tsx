import { signal } from '@preact/signals'
import { useRef, useState } from 'preact/hooks'
import { type AnswerOf, type BodyOf, call } from '../api.ts'
import { type AskedQuestion, readAsked, readDraft, writeAsked, writeDraft } from '../asked-questions.ts'
import { fieldOfInstant, instantOfField } from '../incident-filters.ts'
import {
  Confidence,
  EvidenceList,
  GapList,
  Hypotheses,
  RuledOutList,
  Section,
  type Verification,
  VerificationLine,
} from '../parts/findings.tsx'
import { CheckField, LinesField, TextField } from '../parts/form-field.tsx'
import { InstantText } from '../parts/instant-text.tsx'
import { Page } from '../parts/page.tsx'
import { Answered, Empty, Failure, Loading } from '../parts/states.tsx'
import { StatusBadge, type Tone } from '../parts/status-badge.tsx'
import { TextWithTimes } from '../parts/text-with-times.tsx'
import { mayChange, type Session, session } from '../session.ts'
import { useAnswer, useDoing } from '../use-answer.ts'
import './ask.css'

type Answer = AnswerOf<'POST /query'>
/** A question, with its answer where it was asked since the page was loaded. */
interface Asked extends AskedQuestion {
  readonly answer?: Answer
}

/** What was asked in this tab, newest first: it stays while other pages are looked at, and over a reload. */
const asked = signal<readonly Asked[] | undefined>(undefined)

function askedBy(id: string): readonly Asked[] {
  if (asked.peek() === undefined) asked.value = readAsked(sessionStorage, id)
  return asked.value ?? []
}

function keep(id: string, newest: Asked): void {
  asked.value = [newest, ...askedBy(id)]
  writeAsked(sessionStorage, id, asked.value)
}

/** Characters of the longest question; a field that takes no more would cut what is pasted without a word. */
const LONGEST = 4_000

/** Questions that show what can be asked. */
const SAMPLES = ['Which incidents are open?', 'What changed in the last hour?', 'Has this happened before?']

const OUTCOMES: Readonly<Record<Answer['outcome'], readonly [Tone, string]>> = {
  identified: ['good', 'identified'],
  best_effort: ['warning', 'best effort'],
  inconclusive: ['calm', 'inconclusive'],
}

/** How the question was read, so that a wrong reading is seen. */
function Understood({
  of: { intent, service, window, carried_over },
}: {
  readonly of: Answer['understood']
}) {
  return (
    <p class="quiet">
      Understood as: {intent.replaceAll('_', ' ')}
      {service !== null && ` · ${service}`}
      {window !== null && (
        <>
          {' · '}
          <InstantText at={window.start} /> to <InstantText at={window.end} near={window.start} />
        </>
      )}
      {carried_over.length > 0 && ` · carried over: ${carried_over.join(', ')}`}
    </p>
  )
}

function AnswerCard({ question, answer }: { readonly question: string; readonly answer: Answer }) {
  const doing = useDoing()
  const [verification, setVerification] = useState<Verification>()
  const [tone, says] = OUTCOMES[answer.outcome]
  const mayCheck = mayChange.value && answer.evidence.length > 0
  const check = () =>
    doing.run(async () => setVerification(await call('POST /query/{id}/verify', { path: { id: answer.id } })))
  return (
    <Section
      title={question}
      actions={
        mayCheck && (
          <button type="button" aria-disabled={doing.isBusy} onClick={() => void check()}>
            {doing.isBusy ? 'Asking the tools…' : 'Check again'}
          </button>
        )
      }
    >
      <div class="answer">
        {answer.answer.split(/\n+/).map((paragraph, index) => (
          <p key={`${index} ${paragraph}`}>
            <TextWithTimes text={paragraph} />
          </p>
        ))}
      </div>
      <p>
        <StatusBadge tone={tone}>{says}</StatusBadge>{' '}
        {answer.confidence > 0 && <Confidence of={answer.confidence} />}
      </p>
      <Understood of={answer.understood} />
      {doing.error !== undefined && <Failure error={doing.error} />}
      {verification !== undefined && <VerificationLine of={verification} />}
      {answer.hypotheses.length > 0 && (
        <>
          <h3>Hypotheses</h3>
          <Hypotheses of={answer.hypotheses} evidence={answer.evidence} within={answer.id} />
        </>
      )}
      {answer.ruled_out.length > 0 && (
        <>
          <h3>Ruled out</h3>
          <RuledOutList of={answer.ruled_out} />
        </>
      )}
      {answer.gaps.length > 0 && (
        <>
          <h3>Not looked at</h3>
          <GapList of={answer.gaps} />
        </>
      )}
      <h3>Evidence</h3>
      <EvidenceList of={answer.evidence} verification={verification} within={answer.id} />
    </Section>
  )
}

/** An answer that was given before the page was loaded. */
function KeptAnswer({ of: { id, question } }: { readonly of: AskedQuestion }) {
  const got = useAnswer('GET /query/{id}', { path: { id } })
  if (got.error?.status === 404)
    return (
      <Empty title="This answer is kept no more.">
        <p>“{question}” can be asked again.</p>
      </Empty>
    )
  return (
    <Answered asked={got} what="the answer">
      {(answer) => <AnswerCard question={question} answer={answer} />}
    </Answered>
  )
}

const Answering = ({ of }: { readonly of: Asked }) =>
  of.answer === undefined ? <KeptAnswer of={of} /> : <AnswerCard question={of.question} answer={of.answer} />

/** A question from before, whose answer is read when somebody wants to see it. */
function Earlier({ of }: { readonly of: Asked }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="earlier" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {of.question} <span class="quiet">· </span>
        <InstantText at={of.at} />
      </summary>
      {isOpen && <Answering of={of} />}
    </details>
  )
}

/** What of the context is given: names without values are not sent. */
function contextOf(service: string, start: string, end: string, after: Asked | undefined) {
  const [from, to] = [instantOfField(start), instantOfField(end)]
  const range = { ...(from === undefined ? {} : { start: from }), ...(to === undefined ? {} : { end: to }) }
  return {
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...(service.trim() === '' ? {} : { service: service.trim() }),
    ...(Object.keys(range).length === 0 ? {} : { time_range: range }),
    ...(after === undefined ? {} : { previous_query_id: after.id }),
  } satisfies BodyOf<'POST /query'>['context']
}

/** A box for questions in words, the answer with its evidence, and what was asked before. */
export function Ask() {
  // Whoever is signed in when the page is drawn; it is gone with them.
  const [by] = useState(() => (session.peek() as Session).id)
  const [question, setText] = useState(() => readDraft(sessionStorage, by))
  const typed = useRef(question)
  const setQuestion = (text: string) => {
    typed.current = text
    setText(text)
    writeDraft(sessionStorage, by, text)
  }
  const [service, setService] = useState('')
  const [start, setStart] = useState('')
  const [end, setEnd] = useState('')
  const [isFollowUp, setFollowUp] = useState(false)
  const doing = useDoing()
  const answers = useRef<HTMLElement>(null)
  const [latest, ...earlier] = askedBy(by)
  const ask = async () => {
    const query = question.trim()
    const context = contextOf(service, start, end, isFollowUp ? latest : undefined)
    const done = await doing.run(async () => {
      const answer = await call('POST /query', { body: { query, context } })
      keep(by, { id: answer.id, question: query, at: answer.timestamp, answer })
    })
    if (!done) return
    // What was typed meanwhile is the next question, and whoever types it keeps the focus.
    if (typed.current !== question) return
    setQuestion('')
    answers.current?.focus()
  }
  // The API counts characters, of which some are two units long.
  const length = [...question.trim()].length
  const isTooLong = length > LONGEST
  const tooLong = `has ${length} characters; at most ${LONGEST} are read`
  const reasonOf = (field: string) => doing.error?.reasonOf(field)
  return (
    <Page title="Ask">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault()
          void ask()
        }}
      >
        <LinesField
          label="Question"
          hint="In plain words: why something fails, what changed, what is affected, when it began."
          value={question}
          onValue={setQuestion}
          problem={isTooLong ? tooLong : reasonOf('query')}
          required
        />
        <div class="filters">
          <TextField
            label="Service (optional)"
            value={service}
            onValue={setService}
            problem={reasonOf('context.service')}
            maxLength={200}
            autocomplete="off"
          />
          <TextField
            label="From (optional)"
            type="datetime-local"
            value={start}
            onValue={setStart}
            problem={reasonOf('context.time_range.start')}
          />
          <TextField
            label="Until (optional)"
            type="datetime-local"
            value={end}
            max={fieldOfInstant(new Date().toISOString())}
            onValue={setEnd}
            problem={reasonOf('context.time_range.end')}
          />
        </div>
        {latest !== undefined && (
          <CheckField
            label={`Follows up on “${latest.question}”`}
            checked={isFollowUp}
            onValue={setFollowUp}
          />
        )}
        <button type="submit" class="primary" disabled={doing.isBusy || isTooLong || question.trim() === ''}>
          {doing.isBusy ? 'Asking…' : 'Ask'}
        </button>
      </form>
      {doing.error !== undefined && <Failure error={doing.error} />}
      {doing.isBusy && <Loading what="the answer: every connected tool is asked" />}
      {latest === undefined && !doing.isBusy && (
        <Empty title="Nothing was asked yet.">
          <p>For example:</p>
          <p class="buttons">
            {SAMPLES.map((sample) => (
              <button key={sample} type="button" onClick={() => setQuestion(sample)}>
                {sample}
              </button>
            ))}
          </p>
        </Empty>
      )}
      <section ref={answers} tabIndex={-1} aria-label="The latest answer" class="answers">
        {latest !== undefined && <Answering key={latest.id} of={latest} />}
      </section>
      {earlier.length > 0 && (
        <>
          <h2>Earlier questions</h2>
          {earlier.map((each) => (
            <Earlier key={each.id} of={each} />
          ))}
        </>
      )}
    </Page>
  )
}
