/**
 * Families of the eleventh generation whose cause is a change, each as a published report of one organisation has it: a
 * table that moves while most pods still ask for it where it was (plain), a variable of the environment that nobody can
 * read (plain), a library that mixes up sessions, a question that some events have no answer to, and tokens in a form
 * that an old part does not know. They were written without knowledge of the engine; docs/simulator/eleventh.md names
 * the reports and the rule by which they were chosen.
 */
import {
  amongEleventhSurroundings,
  anotherLibrary,
  askedAtTheDoor,
  environmentSetting,
  ISSUED,
  issuedForm,
  MISMATCHES,
  movedTable,
  NOT_ACCEPTED,
  NOT_LET_IN,
  UNKNOWN_NAMES,
  UNREAD_SETTINGS,
} from './eleventh-surroundings.ts'
import { storeOf, storing } from './fifth-changed-faults.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  kindOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  UNREMARKABLE,
} from './production-fault.ts'

/**
 * Plain: one pod of a service gets a release to see whether it is well. Its first step puts a table into another schema,
 * and all pods of the version before ask for it where it was.
 */
const movedTableFamily: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name, pods } = chance.pick(candidates)
  const store = storeOf(topology, name) as string
  const [table, schema] = chance.pick([
    ['rules', 'engine'],
    ['lists', 'shared'],
    ['checks', 'engine'],
  ] as const)
  const share = chance.between(0.8, 0.95)
  const asked = (arrivalsOf(topology).get(name) ?? 0) * share * (1 - 1 / pods)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data', 'config'], entity: name, places: [store], topology, delay_s: 5 },
    culprits: [movedTable(name, table, schema, true, chance)],
    shipped: [{ part: name, after_s: 0, share: 0.25 }],
    undisturbed: [name],
    lines: Array.from({ length: pods - 1 }, (_, index) => ({
      ...{ part: name, per_minute: 8, pod: index + 1 },
      message: `error: relation "${table}" does not exist (42P01)`,
    })),
    gauges: [
      {
        ...{ entity: name, name: 'db_unknown_relation_errors_per_second', unit: '/s', decides: true },
        level: (since_s) => UNKNOWN_NAMES + asked * progress(since_s, 15),
      },
    ],
    k8s: [
      {
        ...{ after_s: -4, kind: 'Job', name: `${name}-migrate`, reason: 'Completed', decides: true },
        message: 'Job completed',
      },
    ],
    working: () => ({}),
    ahead: (part, _pod, since_s) => (part === name && since_s >= 5 ? { own_errors: share } : {}),
  }
}

/** Plain: a variable of the environment gets another entry and cannot be read any more; what needs it fails. */
const malformedVariable: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const share = chance.between(0.75, 0.95)
  const variable = chance.pick(['RELAYS', 'LANGUAGES', 'DIRECTORIES'])
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['code', 'infra'], entity: name, places: ['fleet-config'], topology },
    delay_s: chance.whole(5, 30),
    culprits: [environmentSetting(name, variable, ['["a1","a2"]', '["a1","a2","b1]'], chance)],
    lines: [
      {
        ...{ part: name, per_minute: 14 },
        message: `SyntaxError: Unterminated string in JSON at position 15 (${variable}, settings.ts:22)`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'settings_parse_errors_per_minute', unit: '1', decides: true },
        level: (since_s) => UNREAD_SETTINGS + 600 * progress(since_s, 15),
      },
    ],
    working: (part) => (part === name ? { own_errors: share } : {}),
  }
}

/**
 * A release brings another version of the library that requests are made with. Answers of one session get to another, and
 * whom the service asks refuses what is asked in the name of somebody else.
 */
const mixedSessions: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = topology.parts.filter(({ calls }) =>
    calls.some(({ to }) => kindOf(topology, to) === 'service'),
  )
  if (candidates.length === 0) return null
  const { name, calls } = chance.pick(candidates)
  const { to } = chance.pick(calls.filter((call) => kindOf(topology, call.to) === 'service'))
  const share = chance.between(0.3, 0.55)
  const growing_s = chance.whole(40, 120)
  const asked = (arrivalsOf(topology).get(name) ?? 0) * share
  const session = (): string => chance.whole(0x100000, 0xffffff).toString(16)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['dependency', 'data'], entity: name, topology, delay_s: 15 },
    culprits: [anotherLibrary(name, 'web-wrap', ['3.8.2', '4.0.0'], chance)],
    shipped: [{ part: name, after_s: 0 }],
    lines: [
      ...[0, 1].map(() => ({
        ...{ part: name, per_minute: 7 },
        message: `403 from ${to}: the basket is of session ${session()}, asked for by ${session()}`,
      })),
      {
        ...{ part: to, per_minute: 6, severity: 'WARN' },
        message: `403 for ${name}: the basket is of another session`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'http_client_session_mismatches_per_second', unit: '/s', decides: true },
        level: (since_s) => MISMATCHES + asked * progress(since_s, growing_s),
      },
    ],
    working: (part, _pod, since_s) =>
      part === name ? { refused: { to, share: share * progress(since_s, growing_s) } } : {},
  }
}

/**
 * A release asks how many moderators wait before somebody is let into an event. Events with a private chat have none; the
 * next of them opens a while after the release, and nobody is let in.
 */
const privateEvents: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const delay_s = chance.whole(480, 1_400)
  const share = chance.between(0.25, 0.45)
  const coming_s = chance.whole(30, 120)
  const guests = (arrivalsOf(topology).get(name) ?? 0) * share
  const event = chance.whole(4_000, 9_000)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['config'], entity: name, topology, delay_s },
    culprits: [askedAtTheDoor(name, 'join', 'chat.moderators.length', chance)],
    shipped: [{ part: name, after_s: 0 }],
    lines: [event, event + 3].map((id, index) => ({
      ...{ part: name, per_minute: 8, after_s: 40 * index },
      message: `TypeError: Cannot read properties of undefined (reading 'length') (join.ts:48), event ${id}, private chat`,
    })),
    gauges: [
      {
        ...{ entity: name, name: 'event_guests_turned_away_per_second', unit: '/s', decides: true },
        level: (since_s) => NOT_LET_IN + guests * progress(since_s, coming_s),
      },
    ],
    working: (part, _pod, _since_s, changed_for_s) =>
      part === name && changed_for_s >= delay_s
        ? { own_errors: share * progress(changed_for_s - delay_s, coming_s) }
        : {},
  }
}

/**
 * A release issues tokens in another form. An old part that will be switched off some day knows only the one before: it
 * refuses whoever comes with a new token, and ever more do as those that they have come to their end.
 */
const unknownForm: ProductionFamily = (topology, chance): ProductionFault | null => {
  const servicesOf = (calls: (typeof topology.parts)[number]['calls']): readonly string[] =>
    calls.map(({ to }) => to).filter((to) => kindOf(topology, to) === 'service')
  const candidates = topology.parts.filter(({ calls }) => servicesOf(calls).length > 1)
  if (candidates.length === 0) return null
  const { calls } = chance.pick(candidates)
  const issuer = chance.pick(servicesOf(calls))
  const old = chance.pick(servicesOf(calls).filter((name) => name !== issuer))
  const callers = callersOf(topology, old).map(({ name }) => name)
  const delay_s = chance.whole(60, 150)
  const growing_s = chance.whole(700, 1_100)
  const share = chance.between(0.75, 0.92)
  const refused = (since_s: number): number => share * progress(since_s, growing_s)
  const usual = arrivalsOf(topology).get(old) ?? 0
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['config', 'dependency'], entity: issuer, places: [old], topology, delay_s },
    culprits: [issuedForm(issuer, 'token', 2, chance)],
    shipped: [{ part: issuer, after_s: 0 }],
    undisturbed: [old],
    lines: [
      ...callers.map((part) => ({ part, per_minute: 8, message: `401 from ${old}: token of form 3` })),
      {
        ...{ part: old, per_minute: 9, severity: 'WARN' },
        message: '401: token of form 3, forms known here: 1, 2',
      },
    ],
    gauges: [
      ...(['2', '3'] as const).map((form) => ({
        ...{ entity: issuer, name: 'tokens_issued_per_second', unit: '/s', labels: { form }, decides: true },
        level: (since_s: number): number => {
          const others = progress(since_s + delay_s, 150)
          return ISSUED * (form === '3' ? others : 1 - others)
        },
      })),
      {
        ...{ entity: old, name: 'tokens_refused_per_second', unit: '/s', decides: true },
        level: (since_s) => NOT_ACCEPTED + usual * refused(since_s),
      },
    ],
    // Who calls the old part is shipped nothing.
    working: () => ({}),
    beyond: (part, _pod, since_s) =>
      callers.includes(part) ? { refused: { to: old, share: refused(since_s - delay_s) } } : {},
  }
}

/** The families of the eleventh generation whose cause is a change. */
export const ELEVENTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'moved-table': amongEleventhSurroundings(movedTableFamily),
  'malformed-variable': amongEleventhSurroundings(malformedVariable),
  'mixed-sessions': amongEleventhSurroundings(mixedSessions),
  'private-events': amongEleventhSurroundings(privateEvents),
  'unknown-form': amongEleventhSurroundings(unknownForm),
}
