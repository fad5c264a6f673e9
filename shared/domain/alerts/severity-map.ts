import type { Severity } from '../incident.ts'

/** Words by which tools and teams say how bad something is, each in lower case. */
const WORDS: Readonly<Record<Severity, readonly string[]>> = {
  critical: [
    'critical',
    'crit',
    'page',
    'emergency',
    'fatal',
    'disaster',
    'blocker',
    'p1',
    'p0',
    'sev1',
    'sev0',
    's1',
    '1',
  ],
  high: ['high', 'error', 'err', 'major', 'severe', 'p2', 'sev2', 's2', '2'],
  medium: ['medium', 'moderate', 'warning', 'warn', 'minor', 'average', 'p3', 'sev3', 's3', '3'],
  low: [
    'low',
    'info',
    'information',
    'informational',
    'none',
    'notice',
    'debug',
    'sample',
    'minimal',
    'success',
    'ok',
    'p4',
    'p5',
    'sev4',
    'sev5',
    's4',
    's5',
    '4',
    '5',
  ],
}
const MEANING = new Map(
  Object.entries(WORDS).flatMap(([severity, words]) => words.map((word) => [word, severity as Severity])),
)

/**
 * What a word of severity means. A word that is missing or that nobody knows is medium: taken for information, a real
 * outage would be shown as nothing.
 */
export const severityOf = (word: string | null): Severity => knownSeverity(word) ?? 'medium'

/** What a word of severity means, or null when it is missing or unknown. */
export const knownSeverity = (word: string | null): Severity | null =>
  MEANING.get((word ?? '').trim().toLowerCase()) ?? null

const ORDER: readonly Severity[] = ['low', 'medium', 'high', 'critical']

/** The worse of two severities. */
export const worse = (a: Severity, b: Severity): Severity => (ORDER.indexOf(a) >= ORDER.indexOf(b) ? a : b)
