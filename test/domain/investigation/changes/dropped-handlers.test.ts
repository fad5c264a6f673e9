import { describe, expect, it } from 'vitest'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import { quotedSentence } from '#shared/domain/investigation/hypotheses/compose-answer.ts'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'
import { at, ONSET } from '../incident-scenarios.ts'
import { FAILS, first, merged, says, settings } from '../ranking-by-hand.ts'
import { risen } from '../scene-by-hand.ts'

const NARROWED = [
  ' try {',
  '-} catch (ShelfException.Gone | ShelfException.Full e) {',
  '+} catch (ShelfException.Gone e) {',
].join('\n')
const SAYS = 'com.acme.ShelfException$Full: shelf 7 is full'

/** What links a change to what the failing place says. */
const found = (said: string, diff = NARROWED, more: Partial<Symptom> = {}) =>
  first([merged('a', 60, diff)], [says(said, more)]).quoted

describe('an error that a change no longer handles', () => {
  it('links the change to what fails where that names it anew', () => {
    const symptom = says(SAYS)
    const entry = first([merged('a', 60, NARROWED)], [symptom])
    expect(entry.quoted).toEqual({ name: 'ShelfException.Full', symptom, how: 'drops' })
    expect(entry.is_linked).toBe(true)
    expect(quotedSentence(entry)).toContain('no longer handles the error “ShelfException.Full”')
  })

  it.each([
    ['catch', 'ShelfFullException: full', '-  } catch (ShelfFullException e) {'],
    ['except', 'acme.errors.ShelfFull: 7', '-    except (KeyError, ShelfFull):\n+    except KeyError:'],
    ['except', 'ShelfFull: 7', '-    except acme.errors.ShelfFull as e:\n-        return None'],
    ['rescue', 'Acme::ShelfFull (7)', '-  rescue Acme::ShelfFull => e\n-    nil'],
    ['errors.Is', 'put: shelf.ErrFull', '-\tif errors.Is(err, shelf.ErrFull) {\n-\t\treturn nil\n-\t}'],
    ['instanceof', 'ShelfFullError: 7', '-  if (error instanceof ShelfFullError) return null'],
    ['a code', 'Error: ENOSPC: no space left, write', "-  if (error.code === 'ENOSPC') return null"],
    ['a code', 'request failed: P2002', "-  case 'P2002':\n-    return existing"],
    ['a code', 'bad answer ER_DUP_ENTRY', "-  if (err.code === 'ER_DUP_ENTRY') skip()"],
    [
      'settings',
      'ShelfFullException: full',
      '-  ignoreExceptions: acme.ShelfFullException\n+  ignoreExceptions: none',
    ],
  ])('is found by the form %s: %j', (_form, said, diff) => {
    expect(found(said, diff)).toMatchObject({ how: 'drops' })
  })

  it('is none where the new text names it still, or handles every error in its place', () => {
    const put = (line: string) => found(SAYS, `-} catch (ShelfException.Full e) {\n+${line}`)
    expect(put('} catch (OtherException e) {')).toMatchObject({ how: 'drops' })
    for (const line of [
      '} catch (ShelfException.Full | OtherException e) {',
      '} catch (Full e) {',
      'return isFull(ShelfException.Full)',
      '} catch (Exception e) {',
      '} catch (e) {',
      '} catch {',
      'except:',
      'rescue => e',
    ])
      expect(put(line)?.how).not.toBe('drops')
  })

  it('was handled: a line that only raises it, or is added, is no handler of it', () => {
    expect(found(SAYS, '-  throw new ShelfException.Full(7)')?.how).not.toBe('drops')
    expect(found(SAYS, '+} catch (ShelfException.Full e) {')?.how).not.toBe('drops')
  })

  it('is that very error: others of its package, and names that any error has, are not', () => {
    expect(found('com.acme.ShelfException$Gone: 7')?.how).not.toBe('drops')
    expect(found('com.acme.TableException$Full: 7')?.how).not.toBe('drops')
    for (const name of ['Full', 'RuntimeException', 'IOException', 'TypeError'])
      expect(found(`${name}: 7`, `-} catch (${name} e) {`)?.how).not.toBe('drops')
  })

  it('is named by the failing place itself, and by no alert', () => {
    expect(found(SAYS, NARROWED, { weight: 0.49 })?.how).not.toBe('drops')
    expect(found(SAYS, NARROWED, { origin: 'alert' })?.how).not.toBe('drops')
    expect(found(SAYS, NARROWED, { origin: 'pattern' })).toMatchObject({ how: 'drops' })
  })

  it('is named where the change arrived: a handler acts in its own process alone', () => {
    expect(found(SAYS, NARROWED, { entity: 'web' })?.how).not.toBe('drops')
    const elsewhere = first([settings('a', 60, { entity: 'billing', diff: NARROWED })], [says(SAYS)])
    expect(elsewhere.quoted?.how).not.toBe('drops')
  })
})

describe('a count of failed requests by their error', () => {
  const counted = (labels: Readonly<Record<string, string>>, more: Partial<SeriesShift> = {}): SeriesShift =>
    risen(
      'stock-api',
      'http_server_requests_seconds_count',
      { during: 12, is_bad: false, ...more },
      { labels },
    )
  const diff = NARROWED.replaceAll('Full', 'NotFound')
  const linked = (shift: SeriesShift) =>
    first([merged('a', 60, diff)], [], { observed: { shifts: [shift] } }).quoted

  it('names the error in a label, by its last part or with all of them', () => {
    expect(linked(counted({ exception: 'NotFound', status: '500' }))).toMatchObject({
      ...{ name: 'ShelfException.NotFound', how: 'drops' },
      symptom: { origin: 'metric', entity: FAILS.entity, at: at(ONSET), count: 12 },
    })
    expect(linked(counted({ error_type: 'com.acme.ShelfException$NotFound' }))).toMatchObject({
      how: 'drops',
    })
    expect(linked(counted({ 'error.type': 'com.acme.ShelfException$NotFound' }))).toMatchObject({
      how: 'drops',
    })
  })

  it('tells nothing where it fell, is of another error or place, or the label is of something else', () => {
    expect(linked(counted({ exception: 'NotFound' }, { direction: 'down' }))).toBeNull()
    expect(linked(counted({ exception: 'NotAllowed' }))).toBeNull()
    expect(linked(counted({ uri: 'NotFound' }))).toBeNull()
    const other = counted({ exception: 'NotFound' })
    expect(linked({ ...other, series: { ...other.series, entity: 'web' } })).toBeNull()
  })
})
