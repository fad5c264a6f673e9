/**
 * Names that records repeat, each kept once: tens of thousands of lines and spans are of a few services and instances, and
 * a parser makes a text of its own for each. One text for all takes less memory, and whoever looks records up by it need
 * not read it again each time.
 */
import type { RecordList } from './record-shapes.ts'

/** The fields whose names repeat, of the lists that are long. */
const REPEATED: Readonly<Partial<Record<RecordList, readonly string[]>>> = {
  series: ['entity', 'name'],
  edges: ['caller', 'callee'],
  spans: ['service', 'instance', 'name'],
  logs: ['service', 'instance', 'node'],
  log_counts: ['service'],
}

/** So many different names say that most of them do not repeat; the bound keeps a large bundle from growing a table. */
const NAMES_KEPT = 20_000

/** Gives a record the names that records before it had; the record itself is changed, and says the same. */
export function repeatedTexts(): <Of extends object>(list: RecordList, record: Of) => Of {
  const known = new Map<string, string>()
  return (list, record) => {
    const fields = record as Record<string, unknown>
    for (const field of REPEATED[list] ?? []) {
      const name = fields[field]
      if (typeof name !== 'string') continue
      const before = known.get(name)
      if (before !== undefined) {
        fields[field] = before
        continue
      }
      if (known.size >= NAMES_KEPT) known.clear()
      known.set(name, name)
    }
    return record
  }
}
