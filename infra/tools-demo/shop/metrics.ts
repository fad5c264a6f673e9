type Labels = Readonly<Record<string, string>>

const written = (labels: Labels): string => {
  const parts = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

/** Metrics of one process in the text format of Prometheus. */
export interface Metrics {
  /** Adds to a counter. */
  count(name: string, labels: Labels, by?: number): void
  /** Adds to a histogram. */
  observe(name: string, labels: Labels, value: number): void
  /** Sets a gauge. */
  set(name: string, labels: Labels, value: number): void
  /** Everything, as a scrape gets it. */
  text(): string
}

/** Buckets that client libraries take where nobody says others, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function metricsOfProcess(): Metrics {
  const types = new Map<string, 'counter' | 'gauge' | 'histogram'>()
  const values = new Map<string, Map<string, number>>()
  const at = (family: string, type: 'counter' | 'gauge' | 'histogram'): Map<string, number> => {
    types.set(family, type)
    const known = values.get(family) ?? new Map<string, number>()
    values.set(family, known)
    return known
  }
  const add = (into: Map<string, number>, key: string, by: number) => into.set(key, (into.get(key) ?? 0) + by)
  return {
    count: (name, labels, by = 1) => add(at(name, 'counter'), `${name}${written(labels)}`, by),
    observe: (name, labels, value) => {
      const into = at(name, 'histogram')
      for (const bound of BUCKETS)
        add(into, `${name}_bucket${written({ ...labels, le: String(bound) })}`, value <= bound ? 1 : 0)
      add(into, `${name}_bucket${written({ ...labels, le: '+Inf' })}`, 1)
      add(into, `${name}_sum${written(labels)}`, value)
      add(into, `${name}_count${written(labels)}`, 1)
    },
    set: (name, labels, value) => at(name, 'gauge').set(`${name}${written(labels)}`, value),
    text: () =>
      [...values]
        .flatMap(([family, samples]) => [
          `# TYPE ${family} ${types.get(family)}`,
          ...[...samples].map(([key, value]) => `${key} ${value}`),
        ])
        .concat('')
        .join('\n'),
  }
}
