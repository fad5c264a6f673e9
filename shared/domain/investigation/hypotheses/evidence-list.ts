/** Collects evidence items, each once, and gives them ids in the order in which they were first cited. */
import type { Evidence, EvidenceSource, EvidenceType } from '../findings.ts'
import type { Snapshot, SourceAsked } from '../records/snapshot.ts'

export class EvidenceList {
  readonly #sources: ReadonlyMap<string, SourceAsked>
  readonly #items: Evidence[] = []
  readonly #byContent = new Map<string, string>()

  /** @param begun - items that keep their ids: what is added goes on behind them */
  constructor(snapshot: Snapshot, begun: readonly Evidence[] = []) {
    this.#sources = new Map(snapshot.sources.map((source) => [source.id, source]))
    this.#items.push(...begun)
    for (const { content, id } of begun) this.#byContent.set(content, id)
  }

  /**
   * Adds an item, or finds the one that says the same.
   *
   * @param record - `source` of the record that it was drawn from; query, window, link and digest come from there
   * @param query - the question that brought just this record, where it is known better than the source's
   * @returns the id of the item
   */
  add(source: EvidenceSource, type: EvidenceType, content: string, record: string, query?: string): string {
    const known = this.#byContent.get(content)
    if (known !== undefined) return known
    const asked = this.#sources.get(record)
    const id = `ev_${this.#items.length + 1}`
    this.#items.push({
      id,
      source,
      type,
      content,
      integration_id: asked?.integration_id ?? null,
      query: query ?? asked?.query ?? '',
      window:
        asked?.window === undefined
          ? null
          : {
              start: new Date(asked.window.from).toISOString(),
              end: new Date(asked.window.to).toISOString(),
            },
      link: asked?.link ?? null,
      digest: asked?.digest ?? null,
    })
    this.#byContent.set(content, id)
    return id
  }

  get items(): readonly Evidence[] {
    return this.#items
  }
}
