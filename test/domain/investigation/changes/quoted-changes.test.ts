import { describe, expect, it } from 'vitest'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'
import type { Change } from '#shared/domain/investigation/records/snapshot.ts'
import { first, merged, says, settings } from '../ranking-by-hand.ts'

describe('what links a change to what is seen', () => {
  describe('a name that what fails quotes', () => {
    const quoted = says("no such field 'shelfMark'")
    const nothing = '-  hue()\n+  tint()'

    it('counts where the change removes it, half where it adds it, and not where it is nobody’s own', () => {
      const removes = first([merged('a', 60, '-  shelfMark()\n+  tint()')], [quoted])
      const adds = first([merged('a', 60, '-  hue()\n+  ShelfMark()')], [quoted])
      const neither = first([merged('a', 60, nothing)], [quoted])
      expect(removes.quoted).toEqual({ name: 'shelfMark', symptom: quoted, how: 'removes' })
      expect(adds.quoted).toEqual({ name: 'ShelfMark', symptom: quoted, how: 'adds' })
      expect(neither.quoted).toBeNull()
      const scale = neither.score / 0.03
      expect(removes.score / scale).toBeGreaterThan(0.85)
      expect(adds.score / scale).toBeGreaterThan(0.425)
      expect(adds.score / scale).toBeLessThan(0.7)
      const everyday = first([merged('a', 60, '-  message()\n+  tint()')], [says("no such field 'message'")])
      expect(everyday.quoted).toBeNull()
    })

    it('counts half where several changes took it away or added it: time and place tell them apart', () => {
      const alone = first([merged('a', 60, '-  shelfMark()\n+  tint()')], [quoted])
      const shared = first(
        [merged('a', 60, '-  shelfMark()\n+  tint()'), merged('b', 10, '-  hue()\n+  shelfMark()')],
        [quoted],
      )
      expect(shared.change.id).toBe(alone.change.id)
      expect(shared.score).toBeLessThan(0.7 * alone.score)
      expect(shared.quoted?.name).toBe('shelfMark')
    })

    it('may be a member with what it belongs to, as errors name code, where the change adds or removes it whole', () => {
      const of = (said: string, diff: string, more: Partial<Symptom> = {}) =>
        first([merged('a', 60, diff)], [says(said, more)]).quoted
      const adds = '-  rows.of(id)\n+  await shelves.load(id)'
      expect(of('shelves.load is not ready', adds)).toMatchObject({ name: 'shelves.load', how: 'adds' })
      expect(of('at Shelves.load (shelves.ts:7)', adds)).toMatchObject({ name: 'shelves.load' })
      expect(of('in Shelf::count_all', '-  Shelf::count_all()\n+  tint()')).toMatchObject({ how: 'removes' })
      expect(of('a.shelves.load failed', '-  tint()\n+  this.shelves.load()')).toBeNull()
      // Another member, a part of a host, a path or a version, words of every program, or the words of an alert.
      for (const said of [
        'shelves.loads',
        'x-shelves.load',
        'shelves.load.example',
        '/shelves.load',
        'shelves load',
      ])
        expect(of(said, adds)).toBeNull()
      expect(of('shelves.load is not ready', adds, { origin: 'alert' })).toBeNull()
      expect(of('shelves.get is not ready', '-  tint()\n+  shelves.get(id)')).toBeNull()
      // What stays in another line is neither new nor gone.
      expect(of('shelves.load is not ready', '-  shelves.load(id)\n+  await shelves.load(id)')).toBeNull()
    })

    it('counts by itself', () => {
      const symptom = says("no such field 'x1'")
      const entry = first([merged('a', 60, '-  put("x1")\n+  tint()')], [symptom])
      expect(entry).toMatchObject({
        quoted: { name: 'x1', how: 'removes' },
        is_linked: true,
        words: [],
      })
    })

    it('counts where the record of what was done next to the failing place bears it', () => {
      const act = (entity: string): Change => ({
        ...settings('r', 30, { kind: 'infra', title: 'topic mint-7 altered', entity }),
      })
      const symptom = says("cannot read from 'mint-7'")
      const near = first([act('web')], [symptom])
      expect(near).toMatchObject({ place: 0.7, is_linked: true })
      expect(near.quoted).toEqual({ name: 'mint-7', symptom, how: 'bears' })
      expect(first([act('billing')], [symptom])).toMatchObject({ quoted: null })
    })
  })

  describe('a flag whose key stands in what the failing place logs', () => {
    const flag = (id: string, kind: Change['kind'] = 'flag') => settings(id, 30, { kind, entity: 'billing' })
    const found = (id: string, symptom: Symptom, kind?: Change['kind']) =>
      first([flag(id, kind)], [symptom]).quoted

    it('bears its name there as a whole word, however it is written', () => {
      const symptom = says('variant Dense-Lamp.v2 is on: gave up')
      expect(found('dense-lamp.v2', symptom)).toEqual({ name: 'dense-lamp.v2', symptom, how: 'bears' })
      expect(found('dense_lamp:b', says('by dense_lamp:b'))).not.toBeNull()
      expect(found('dense-lamp', says('variant dense-lamp-2 is on'))).toBeNull()
      expect(found('dense-lamp', says('variant x-dense-lamp is on'))).toBeNull()
      expect(found('dense-lamp', says('variant dense-lamps is on'))).toBeNull()
      expect(found('dense.lamp', says('variant dense-lamp is on'))).toBeNull()
    })

    it('is a key of several parts', () => {
      expect(found('lamp', says('lamp is on'))).toBeNull()
      expect(found('a-b-c', says('a-b-c is on'))).not.toBeNull()
      for (const id of ['-dense-lamp', 'dense-lamp-', 'dense--lamp', 'dense lamp', 'dense+lamp', 'é-lamp'])
        expect(found(id, says(`${id} is on`))).toBeNull()
    })

    it('stands in a line or a pattern of lines of the failing place, and no alert', () => {
      expect(found('dense-lamp', says('dense-lamp is on', { origin: 'pattern', weight: 0.5 }))).not.toBeNull()
      expect(found('dense-lamp', says('dense-lamp is on', { weight: 0.49 }))).toBeNull()
      expect(found('dense-lamp', says('dense-lamp is on', { origin: 'alert' }))).toBeNull()
      expect(found('dense-lamp', says('dense-lamp is on'), 'scale')).toBeNull()
    })
  })
})
